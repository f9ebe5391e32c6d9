"""Runs compared at equal cost, with what their differences are worth.

Runs that differ in nothing but seeds and length are one condition, and their seeds say how sure
it is: the interval is Student's over seeds. A condition of one seed has only the noise within its
run to go by, which is said. The cost of a walker is the gradients of single examples where the
batches are known, else the evaluations of the force; every run is cut where the shortest ends.

    difference of two means   Welch's t, at 5% shared out evenly over all tests (Bonferroni)

References:
    Welch (1947), doi:10.1093/biomet/34.1-2.28.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .._checks import unknown_name
from .._errors import ParameterError, StoreError
from .._quantiles import student_t_quantile, student_t_tail
from ..sampling.summary import MIN_DRAWS, Line, summarise
from .record import RunRecord

__all__ = ["Comparison", "Condition", "Difference", "compare"]

LEVEL = 0.05
SEEDS = (("run", "seed"), ("model", "seed"), ("data", "seed"))
NOT_SETTINGS = (("run", "steps"), ("run", "compile"), *SEEDS)
NOT_TABLES = ("target", "versions", "origin")


@dataclass(frozen=True, slots=True)
class Condition:
    """A quantity under one choice of settings.

    Attributes:
        name: the settings that are its own, or the run's name.
        quantity: what was averaged.
        runs: names of the runs, one for each seed.
        mean: over the seeds.
        error: standard error of the mean.
        degrees: of freedom of that error.
        low: end of the 95% interval.
        high: the other end.
    """

    name: str
    quantity: str
    runs: tuple[str, ...]
    mean: float
    error: float
    degrees: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Two conditions against each other.

    Attributes:
        quantity: what was averaged.
        first: name of one condition.
        second: of the other.
        value: mean of the second less that of the first.
        p: probability of such a difference, or a larger one, if there is none; NaN if unknown.
        is_significant: whether p is below its share of 5%.
        says: in words.
    """

    quantity: str
    first: str
    second: str
    value: float
    p: float
    is_significant: bool
    says: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Conditions at equal cost.

    Attributes:
        unit: of the cost.
        budget: what each walker may spend.
        spent: what each run spent in all, by name.
        conditions: one for each choice of settings and quantity.
        differences: of each from the first.
    """

    unit: str
    budget: float
    spent: Mapping[str, float]
    conditions: tuple[Condition, ...]
    differences: tuple[Difference, ...]


def compare(runs: Sequence[RunRecord], what: Sequence[str] = ()) -> Comparison:
    """Compare runs at equal cost; one with too few draws within it is refused.

    Args:
        runs: two or more.
        what: names of recorded numbers, such as "accuracy"; all that every run has, if not given.
    """
    if len(runs) < 2:
        raise ParameterError(f"a comparison takes 2 runs or more; got {len(runs)}")
    shared = [
        name
        for name, array in runs[0].sample_stats.items()
        if array.ndim == 2 and all(name in run.sample_stats for run in runs)
    ]
    for name in what:
        if name not in shared:
            raise unknown_name("number of all these runs", name, shared)
    groups = _groups(runs)
    costs, unit = _costs(runs)
    spent = {run.name: costs[run.name] * float(run.steps_of_draws()[-1]) for run in runs}
    budget = min(spent.values())
    lines = {run.name: _lines(run, budget / costs[run.name]) for run in runs}
    conditions = [
        _condition(name, quantity, own, [lines[run.name][quantity] for run in own])
        for quantity in (what or shared)
        for name, own in groups.items()
    ]
    tests = (len(groups) - 1) * len(what or shared)
    differences = [
        _difference(conditions[start], other, LEVEL / max(1, tests))
        for start in range(0, len(conditions), len(groups))
        for other in conditions[start + 1 : start + len(groups)]
    ]
    return Comparison(unit, budget, spent, tuple(conditions), tuple(differences))


def _groups(runs: Sequence[RunRecord]) -> dict[str, list[RunRecord]]:
    """Return runs by condition, each named by the settings that differ."""
    settings = {run.name: _settings(run) for run in runs}
    groups: dict[str, list[RunRecord]] = {}
    for run in runs:
        groups.setdefault(json.dumps(settings[run.name], sort_keys=True), []).append(run)
    keys = sorted({key for own in settings.values() for key in own})
    differs = [key for key in keys if len({one.get(key) for one in settings.values()}) > 1]
    named: dict[str, list[RunRecord]] = {}
    for own in groups.values():
        seeds = [_seeds(run) for run in own]
        if len(set(seeds)) < len(seeds):
            same = " and ".join(run.name for run in own)
            raise ParameterError(f"{same} have the same settings and seeds: they are one run twice")
        table = settings[own[0].name]
        said = ", ".join(f"{key} {table.get(key, 'not given')}" for key in differs)
        named[said or "all runs"] = own
    return named


def _settings(run: RunRecord) -> dict[str, str]:
    found = {
        f"{name}.{key}": json.dumps(value, default=str, sort_keys=True)
        for name, table in run.tables.items()
        for key, value in table.items()
        if name not in NOT_TABLES and (name, key) not in NOT_SETTINGS
    }
    if not {"potential", "model"} & run.tables.keys():  # a target made in Python
        found["target"] = f"{run.target['kind']} {run.target['fingerprint']}"
    return found


def _seeds(run: RunRecord) -> tuple[str, ...]:
    return tuple(str(run.tables.get(table, {}).get(key)) for table, key in SEEDS)


def _costs(runs: Sequence[RunRecord]) -> tuple[dict[str, float], str]:
    """Return what a step of each run costs a walker, and the unit."""
    rates = {
        run.name: run.num_evaluations / run.evaluated_to if run.evaluated_to else 1.0
        for run in runs
    }
    examples = {run.name: _examples(run) for run in runs}
    if all(number is not None for number in examples.values()):
        unit = "gradients of single examples"
        return {name: rate * (examples[name] or 1) for name, rate in rates.items()}, unit
    return rates, "evaluations of the force (of unequal batches, for all that is known)"


def _examples(run: RunRecord) -> int | None:
    """Return the examples in an evaluation; 1 for an analytic target, None if nobody knows."""
    if "potential" in run.tables:
        return 1
    if "data" not in run.tables:
        return None
    batch = run.tables["data"].get("batch_size")
    for number in (batch, *(event.get("num_data") for event in run.events)):
        if isinstance(number, int):
            return number
    return None


def _lines(run: RunRecord, most_steps: float) -> dict[str, Line]:
    """Return the averages of a run up to a step."""
    keep = int(np.count_nonzero(run.steps_of_draws() <= most_steps * (1 + 1e-9)))
    if keep < MIN_DRAWS:
        raise StoreError(
            f"{run.name} has {keep} draws within the cost of the shortest run; it takes {MIN_DRAWS}"
        )
    arrays = {name: a[:, :keep] for name, a in run.sample_stats.items() if a.ndim == 2}
    return {line.name: line for line in summarise(arrays, {}, math.nan, run.chains).lines}


def _condition(
    name: str, quantity: str, runs: Sequence[RunRecord], lines: Sequence[Line]
) -> Condition:
    means = np.array([line.mean for line in lines])
    if len(lines) > 1:
        error, degrees = float(means.std(ddof=1)) / math.sqrt(len(means)), len(means) - 1.0
    else:
        error, degrees = lines[0].mcse, max(lines[0].ess - 1, 1.0)
    mean = float(means.mean())
    is_known = math.isfinite(error) and math.isfinite(degrees)
    half = error * student_t_quantile(LEVEL / 2, degrees) if is_known else math.nan
    who = tuple(run.name for run in runs)
    return Condition(name, quantity, who, mean, error, degrees, mean - half, mean + half)


def _difference(first: Condition, second: Condition, level: float) -> Difference:
    gap = second.mean - first.mean
    variances = [one.error**2 for one in (first, second)]
    p = math.nan
    if sum(variances) > 0:
        parts = zip(variances, (first.degrees, second.degrees), strict=True)
        degrees = sum(variances) ** 2 / sum(v**2 / nu for v, nu in parts)
        p = 2 * student_t_tail(abs(gap) / math.sqrt(sum(variances)), degrees)
    is_significant = p < level
    said = f"{second.quantity}: {second.name} against {first.name}: "
    if math.isnan(p):
        said += f"{gap:+.4g}, of unknown error"
    elif is_significant:
        side = "higher" if gap > 0 else "lower"
        said += f"{side} by {abs(gap):.4g}, significant (p = {p:.2g})"
    else:
        said += f"{gap:+.4g}, no difference shown (p = {p:.2g})"
    alone = [one.name for one in (first, second) if len(one.runs) == 1]
    if alone and not math.isnan(p):
        said += "; with one seed only, the error is that within a run"
    return Difference(second.quantity, first.name, second.name, gap, p, is_significant, f"{said}.")
