"""Two methods side by side: a difference, and how well it is known.

For runs of means x̄ᵢ, variances sᵢ² and numbers nᵢ, Welch's interval is

    x̄₁ − x̄₂ ± t √(s₁²/n₁ + s₂²/n₂)

with t the quantile of Student's t at ν = (v₁ + v₂)²/(v₁²/(n₁ − 1) + v₂²/(n₂ − 1)) degrees of
freedom, vᵢ = sᵢ²/nᵢ. Runs of two methods that share their starts and batches are positively
correlated if anything, which makes the interval too wide, not too narrow.

References:
    Welch (1947), doi:10.1093/biomet/34.1-2.28.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .._checks import require
from .._errors import ParameterError
from .._quantiles import student_t_quantile

__all__ = ["Comparison", "welch"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A difference of mean accuracies with its interval.

    Attributes:
        first: label of a method.
        second: label of the other one.
        difference: mean of the first − mean of the second.
        low: lower end of the interval.
        high: upper end.
        confidence: with which all intervals that were asked for together hold.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    confidence: float

    @property
    def is_resolved(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.low > 0 or self.high < 0

    def __str__(self) -> str:
        better = self.first if self.difference > 0 else self.second
        verdict = f"{better} is better" if self.is_resolved else "not resolved"
        points = [f"{100 * x:+.1f}" for x in (self.difference, self.low, self.high)]
        size, low, high = (text.replace("-", "−") for text in points)
        return (
            f"{self.first} − {self.second}: {size} points, {low} to {high} "
            f"({100 * self.confidence:g}% confidence): {verdict}"
        )


def welch(
    first: Sequence[float], second: Sequence[float], confidence: float, num_intervals: int = 1
) -> tuple[float, float]:
    """Return Welch's interval for the difference of two means.

    Args:
        first: a number from each run.
        second: the same for other runs.
        confidence: with which `num_intervals` such intervals hold together (Bonferroni).
        num_intervals: how many there are.

    Raises:
        ParameterError: if there are fewer than two runs of either.
    """
    require(0 < confidence < 1, "confidence", "welch", "between 0 and 1", confidence)
    if min(len(first), len(second)) < 2:
        raise ParameterError(
            f"an interval needs at least two runs of each method; got {len(first)} and "
            f"{len(second)}. One run says nothing about the spread: ask for more seeds"
        )
    one, two = (variance(runs) / len(runs) for runs in (first, second))
    difference = fmean(first) - fmean(second)
    if one + two == 0:
        return difference, difference
    degrees = (one + two) ** 2 / (one**2 / (len(first) - 1) + two**2 / (len(second) - 1))
    reach = student_t_quantile((1 - confidence) / (2 * num_intervals), degrees)
    half = reach * math.sqrt(one + two)
    return difference - half, difference + half
