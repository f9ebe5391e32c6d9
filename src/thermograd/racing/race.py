"""The record of a race."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from .._checks import unknown_name
from .comparison import Comparison, welch
from .standing import Standing

__all__ = ["Race"]


@dataclass(frozen=True, slots=True, eq=False)
class Race:
    """What every method did, on the same budget.

    Attributes:
        problem: its name.
        budget: minibatch gradients that each run was given.
        seeds: runs of each method.
        seed: from which all random numbers were derived.
        standings: what each method did, by label, in the order of the entries.
    """

    problem: str
    budget: int
    seeds: int
    seed: int
    standings: Mapping[str, Standing]

    def compare(
        self, first: str, second: str, confidence: float = 0.95, num_intervals: int = 1
    ) -> Comparison:
        """Return the difference of two methods' mean test accuracies, with Welch's interval.

        Args:
            first: label of one method.
            second: label of the other.
            confidence: with which as many intervals hold together.
            num_intervals: how many are looked at.
        """
        one, two = self._standing(first), self._standing(second)
        low, high = welch(one.accuracy, two.accuracy, confidence, num_intervals)
        return Comparison(first, second, one.mean - two.mean, low, high, confidence)

    def comparisons(self, confidence: float = 0.95) -> list[Comparison]:
        """Return every pair's difference; all intervals hold together with this confidence."""
        pairs = list(itertools.combinations(self.standings, 2))
        return [self.compare(*pair, confidence, len(pairs)) for pair in pairs]

    def table(self) -> str:
        """Return a Markdown table, a row for each method."""
        lines = [
            "| method | settings | test accuracy, % | worst run | gradients | seconds |",
            "| --- | --- | ---: | ---: | ---: | ---: |",
        ]
        for found in self.standings.values():
            said = ", ".join(f"{name} {value}" for name, value in found.settings.items())
            tuned = f" (best of {len(found.trials)})" if found.trials else ""
            spread = "" if found.sd is None else f" ± {100 * found.sd:.1f}"
            lines.append(
                f"| {found.label} | {said}{tuned} | {100 * found.mean:.1f}{spread} | "
                f"{100 * found.worst:.1f} | {found.gradients:,} | {found.seconds:.1f} |"
            )
        return "\n".join(lines)

    def as_data(self) -> dict[str, object]:
        """Return the record as JSON can hold it, with every pair if there are several runs."""
        pairs = self.comparisons() if self.seeds > 1 else []
        return {
            "problem": self.problem,
            "budget": self.budget,
            "seeds": self.seeds,
            "seed": self.seed,
            "standings": [found.as_data() for found in self.standings.values()],
            "comparisons": [
                {
                    "first": pair.first,
                    "second": pair.second,
                    "difference": pair.difference,
                    "low": pair.low,
                    "high": pair.high,
                    "confidence": pair.confidence,
                }
                for pair in pairs
            ],
        }

    def _standing(self, label: str) -> Standing:
        if label not in self.standings:
            raise unknown_name("method of the race", label, self.standings)
        return self.standings[label]
