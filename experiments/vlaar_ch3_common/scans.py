"""Accuracy over a setting of one method."""

from collections.abc import Mapping
from itertools import pairwise

from thermograd.racing import Entry, Problem, equal_budget
from thermograd.sampling.stepping import Compile
from vlaar_ch3_common.problems import numbers

__all__ = ["temperature_scan"]


def temperature_scan(
    entry: Entry,
    temperatures: tuple[float, ...],
    problem: Problem,
    runs: int,
    *,
    gradients: int,
    seed: int,
    compile: Compile,
    names: tuple[str, ...] = ("temperature",),
    prefix: str = "",
) -> dict[str, float]:
    """Return the accuracy at each temperature, coldest first, and what a peak inside gains.

    `peak_over_coldest` and `peak_over_hottest` are differences of the best mean, in points, each
    with the lower end of Welch's interval; all that is compared holds together with 95%. `names`
    are the settings that are heated, and `prefix` is put before the names of all numbers.
    """
    made: Mapping[str, Entry] = {
        f"{prefix}temperature{heat:g}": entry.with_settings(dict.fromkeys(names, heat))
        for heat in temperatures
    }
    race = equal_budget(
        made, problem, runs, gradients=gradients, checkpoints=2, seed=seed, compile=compile
    )
    measured: dict[str, float] = {}
    for label, found in race.standings.items():
        measured |= numbers(found, label)
    means = [found.mean for found in race.standings.values()]
    labels = list(made)
    best = max(range(len(means)), key=means.__getitem__)
    measured[f"{prefix}best_temperature"] = temperatures[best]
    measured[f"{prefix}rises_before_and_falls_after"] = float(
        all(low <= high for low, high in pairwise(means[: best + 1]))
        and all(high >= low for high, low in pairwise(means[best:]))
    )
    num_pairs = 2 * (len(labels) - 1)  # the best is chosen among all
    for name, other in (("coldest", labels[0]), ("hottest", labels[-1])):
        if other != labels[best]:
            found = race.compare(labels[best], other, 0.95, num_pairs)
            measured[f"{prefix}peak_over_{name}"] = 100 * found.difference
            measured[f"{prefix}peak_over_{name}_low"] = 100 * found.low
    return measured
