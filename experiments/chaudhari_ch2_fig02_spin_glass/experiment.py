"""Figure 2.2: minima of a 3-spin glass in a weak, a critical and a strong random field."""

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import torch
from descent import Found, descend, gather, uniform_on_sphere
from torch import Tensor
from vlaar_ch5_common.training import summarised

from thermograd.experiments import Result
from thermograd.noise import seeded
from thermograd.objectives import critical_field
from thermograd.potentials import SpinGlass
from thermograd.potentials.spin_glass_counts import (
    band_edge,
    expected_critical_points,
    field_regime,
    lowest_level,
)

SEED, ORDER, STEP = 2, 3, 0.1
CURVATURES = 20


@dataclass(frozen=True)
class Size:
    """How much is run; the source has one draw of the couplings and 20,000 starts.

    Attributes:
        num_spins: N.
        draws: of couplings and field.
        starts: of the descent, for each draw.
        tolerance: norm of the gradient along the sphere at which it ends.
    """

    num_spins: int = 100
    draws: int = 4
    starts: int = 800
    tolerance: float = 1e-4
    max_steps: int = 10_000


def fields(num_spins: int) -> dict[str, float]:
    """Return the sizes ν of the field, by regime."""
    critical = critical_field(1.0, ORDER) * math.sqrt(1 - 1 / num_spins)
    return {"exponential": 1 / num_spins, "polynomial": critical, "trivial": 3.0}


def glass_of(size: Size, field_size: float, seed: int) -> SpinGlass:
    """Draw couplings and field; of one seed they are the same up to the field's size."""
    return SpinGlass.draw(size.num_spins, ORDER, generator=seeded(seed), field_size=field_size)


def minima(glass: SpinGlass, size: Size, seed: int) -> Found:
    """Descend from points that are uniform on the sphere."""
    starts = uniform_on_sphere(size.starts, size.num_spins, seeded(10_000 + seed))
    return descend(glass, starts, step=STEP, tolerance=size.tolerance, max_steps=size.max_steps)


def smoke(seed: int = SEED) -> Result:
    """Run 30 spins from 40 starts."""
    return _run(Size(30, draws=1, starts=40, tolerance=1e-3, max_steps=500), seed)


def full(seed: int = SEED) -> Result:
    """Run 100 spins, four draws of the couplings, 800 starts each."""
    return _run(Size(), seed)


def _run(size: Size, seed: int) -> Result:
    rows: dict[str, list[float]] = defaultdict(list)
    theory: dict[str, float] = {
        "band_edge": -band_edge(ORDER),
        "ground_level": lowest_level(ORDER),
    }
    for regime, field_size in fields(size.num_spins).items():
        b = field_regime(ORDER, field_size)
        theory[f"regime_{regime}"] = b
        theory[f"expected_critical_points_{regime}"] = expected_critical_points(size.num_spins, b)
        for draw in range(size.draws):
            glass = glass_of(size, field_size, 100 * seed + draw)
            found = minima(glass, size, 100 * seed + draw)
            for name, value in _measure(glass, found).items():
                rows[f"{name}_{regime}"].append(value)
    theory["ground_level_trivial"] = -math.sqrt(ORDER + fields(size.num_spins)["trivial"] ** 2)
    worst = {"largest_cosine_distance": max(max(rows[f"cosine_distance_{r}"]) for r in fields(2))}
    return Result({**summarised(rows), **worst, **theory}, asdict(size), seed)


def _measure(glass: SpinGlass, found: Found) -> dict[str, float]:
    leaders, labels = gather(found.points)
    levels = glass.energy([found.points]) / glass.num_params
    counts = labels.bincount().double()
    return {
        **_distances(found.points),
        "cosine_distance_of_minima": _distances(leaders)["cosine_distance"],
        "num_minima": float(len(leaders)),
        "largest_share": float(counts.max() / counts.sum()),
        "lowest_level": float(levels.min()),
        "mean_level": float(levels.mean()),
        "highest_level": float(levels.max()),
        "least_curvature": min(_least_curvature(glass, q) for q in leaders[:CURVATURES]),
        "steps": float(found.steps.mean()),
        "largest_residual": float(found.residual.max()),
    }


def _distances(points: Tensor) -> Mapping[str, float]:
    """Return averages over pairs of different walkers: 1 − R, arccos R and √(2 − 2R)."""
    if len(points) < 2:
        return {"cosine_distance": 0.0, "angle": 0.0, "chord": 0.0}
    x = points.double()
    x = x / x.norm(dim=1, keepdim=True)
    rows, columns = torch.triu_indices(len(x), len(x), 1)
    overlap = (x @ x.T)[rows, columns].clamp(-1.0, 1.0)
    return {
        "cosine_distance": float((1 - overlap).mean()),
        "angle": float(overlap.arccos().mean()),
        "chord": float((2 - 2 * overlap).sqrt().mean()),
    }


def _least_curvature(glass: SpinGlass, q: Tensor) -> float:
    """Return the lowest eigenvalue of the second derivative along the sphere."""
    n = glass.num_params
    force = torch.empty(1, n)
    glass.force([q[None]], out=[force])
    along = torch.eye(n) - torch.outer(q, q) / n
    curved = along @ (glass.hessian(q) + torch.eye(n) * float(force[0] @ q) / n) @ along
    lifted = curved + 100.0 * torch.outer(q, q) / n  # the direction that is not along the sphere
    return float(torch.linalg.eigvalsh(lifted.double())[0])
