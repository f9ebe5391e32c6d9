"""Figure 4.1: a rough loss of one variable smoothed three ways, and descent on each."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import torch
from rough import (
    HOLE,
    TEMPERATURE,
    WIDE,
    grid,
    largest_curvature,
    minima,
    rough,
    second,
    slope,
    smoothed,
)
from torch import Tensor

from thermograd.experiments import Result
from thermograd.objectives import hopf_cole

SEED = 0
SCOPES = (0.05, 0.2, 1.0)


@dataclass(frozen=True)
class Size:
    """How fine the grid is, and how long descents are.

    Attributes:
        points: of the grid.
        levels: values of γ in a descent, falling geometrically to 0.01 and then 0.
        steps: at each of them.
        starts: spread over −6 to 6.
    """

    points: int = 1801
    levels: int = 30
    steps: int = 60
    starts: int = 241
    step_size: float = 0.02


def smoke() -> Result:
    """Run on a coarse grid."""
    return _run(Size(601, levels=5, steps=20, starts=41))


def full() -> Result:
    """Run on a grid of spacing 0.01."""
    return _run(Size())


def _run(size: Size) -> Result:
    x = grid(size.points)
    values, smooth = rough(x), smoothed(x)
    measured = {"num_minima": float(len(minima(x, values))), "minimiser": _lowest(x, values)}
    bend = largest_curvature()
    for name, of in smooth.items():
        for scope in SCOPES:
            found = of(scope)
            cell = f"{name}_scope{scope:g}"
            measured[f"num_minima_{cell}"] = float(len(minima(x, found)))
            measured[f"minimiser_{cell}"] = _lowest(x, found)
            measured[f"minimum_{cell}"] = float(found.min())
            if name != "heat":
                curved = float(second(x, found, 0.2).max())
                measured[f"curvature_over_bound_{cell}"] = curved * (1 / bend + scope)
    measured["minimum"] = float(values.min())
    measured["hj_minimum_gap"] = abs(float(smooth["hj"](SCOPES[-1]).min() - values.min()))
    measured["hopf_cole_residual"] = _residual(x, values)
    for name, of in {"gradient": lambda g: values, **smooth}.items():
        measured |= {f"{key}_{name}": v for key, v in _descent(x, values, of, size).items()}
    for name in smooth:
        gain = measured["mean_loss_gradient"] - measured[f"mean_loss_{name}"]
        measured[f"gain_over_gradient_{name}"] = gain
    return Result(measured, {**asdict(size), "temperature": TEMPERATURE}, SEED)


def _lowest(x: Tensor, values: Tensor) -> float:
    return float(x[values.argmin()])


def _residual(x: Tensor, values: Tensor, scope: float = 0.2, shift: float = 1e-3) -> float:
    """Return the largest |u_t + ½u_x² − (T/2)u_xx| for |x| < 6."""
    before, here, after = (
        hopf_cole(x, values, scope=scope + k * shift, temperature=TEMPERATURE) for k in (-1, 0, 1)
    )
    spacing = float(x[1] - x[0])
    bend = second(x, here, spacing)
    rate = (after - before)[1:-1] / (2 * shift)
    left = rate + 0.5 * slope(x, here)[1:-1] ** 2 - 0.5 * TEMPERATURE * bend
    return float(left[x[1:-1].abs() < 6].abs().max())


def _descent(
    x: Tensor, values: Tensor, of: Callable[[float], Tensor], size: Size
) -> dict[str, float]:
    """Descend on the smoothed function while γ falls, and say where walkers end."""
    at = np.linspace(-6.0, 6.0, size.starts)
    scopes = np.geomspace(2.0, 0.01, size.levels)
    for scope in (*scopes, 0.0):
        pull = slope(x, of(float(scope)) if scope else values).numpy()
        for _ in range(size.steps):
            at = at - size.step_size * np.interp(at, x.numpy(), pull)
    end = torch.as_tensor(at)
    return {
        "share_in_hole": float(((end - HOLE).abs() < 0.3).double().mean()),
        "share_in_wide_valley": float(((end - WIDE).abs() < 0.6).double().mean()),
        "mean_loss": float(rough(end).mean()),
    }
