"""Section 3.1: how many weights solve a binary perceptron, and how many more are near each."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import torch
from perceptron import all_weights, expected_pairs, local_entropy, patterns, solves

from thermograd.experiments import Result
from thermograd.noise import seeded

SEED = 3
DISTANCES = (1, 2, 3, 5)


@dataclass(frozen=True)
class Size:
    """How much is enumerated.

    Attributes:
        d: weights, odd.
        loads: α = N/d, rounded to whole patterns.
        draws: of patterns and labels, at each load.
    """

    d: int = 15
    loads: tuple[float, ...] = (0.4, 0.6, 0.8, 1.0, 1.3)
    draws: int = 200


def smoke(seed: int = SEED) -> Result:
    """Enumerate 9 weights."""
    return _run(Size(9, (0.3, 0.8), 40), seed)


def full(seed: int = SEED) -> Result:
    """Enumerate 15 weights, 200 draws at five loads."""
    return _run(Size(), seed)


def _run(size: Size, seed: int) -> Result:
    weights, generator = all_weights(size.d), seeded(seed)
    measured: dict[str, float] = {}
    scores: list[float] = []
    for load in size.loads:
        num = round(load * size.d)
        rows: dict[str, list[float]] = defaultdict(list)
        for _ in range(size.draws):
            for name, value in _draw(weights, num, generator).items():
                rows[name].append(value)
        laws = [expected_pairs(size.d, num, k) for k in range(size.d + 1)]
        expected = {"solutions": laws[0], **{f"pairs_{k}": laws[k] for k in DISTANCES}}
        for name, values in rows.items():
            cell = f"{name}_load{load:g}"
            measured[cell], measured[f"error_{cell}"] = _mean(values)
            if name in expected:
                measured[f"law_{cell}"] = expected[name]
        error = math.sqrt((sum(laws) - laws[0] ** 2) / size.draws)
        measured[f"law_error_solutions_load{load:g}"] = error
        scores.append(abs(measured[f"solutions_load{load:g}"] - laws[0]) / error)
        dense = measured[f"overlap_of_the_densest_load{load:g}"]
        gain = dense - measured[f"overlap_of_a_solution_load{load:g}"]
        measured[f"gain_of_the_densest_load{load:g}"] = gain
    measured["largest_z"] = max(scores)
    return Result(measured, asdict(size), seed)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error."""
    kept = torch.tensor(values, dtype=torch.float64)
    return float(kept.mean()), float(kept.std()) / math.sqrt(len(kept))


def _draw(weights: torch.Tensor, num: int, generator: torch.Generator) -> dict[str, float]:
    """Return what one draw of patterns gives, for random labels and for a teacher's."""
    d = weights.shape[1]
    xi = patterns(num, d, generator)
    labels = patterns(1, num, generator)[0]
    found = solves(weights, xi, labels)
    measured = {"solutions": float(found.sum()), "is_solvable": float(found.any())}
    for k in DISTANCES:
        measured[f"pairs_{k}"] = float(local_entropy(weights, found, k).sum())
    teacher = weights[int(torch.randint(len(weights), (1,), generator=generator))]
    fits = solves(weights, xi, (xi @ teacher).sign())
    overlap = weights[fits] @ teacher / d
    near = local_entropy(weights, fits, 1).double()
    near += 0.5 * local_entropy(weights, fits, 2).double()
    measured["teacher_solutions"] = float(fits.sum())
    measured["overlap_of_a_solution"] = float(overlap.mean())
    measured["overlap_of_the_densest"] = float(overlap[near == near.max()].mean())
    return measured
