"""A function of the plane on a grid: the decision regions of a classifier of two inputs.

The classifier is looked at, not changed: it runs without gradients, and a module in eval mode and
back. One that says something else when asked again is refused.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..._checks import is_int, is_real, positive_int, require
from ..._errors import NonFiniteError
from .._readonly import looking_at, refuse_random
from ..estimate import Array

__all__ = ["PredictionGrid", "decision_regions"]

OWNER = "decision_regions"
NARROW = 64  # units assumed where a model cannot be looked into


@dataclass(frozen=True, slots=True, eq=False)
class PredictionGrid:
    """A scalar function on a rectangular grid.

    Attributes:
        x: of the columns, equispaced, shape (X,).
        y: of the rows, equispaced, shape (Y,).
        values: at (x, y), shape (Y, X).
    """

    x: Array
    y: Array
    values: Array


def decision_regions(
    predict: Callable[[Tensor], Tensor],
    bounds: tuple[float, float, float, float],
    *,
    resolution: int = 1000,
    memory: int = 1 << 28,
) -> PredictionGrid:
    """Return what a classifier of the plane says at every point of a grid.

    Args:
        predict: inputs (B, 2) to one number each, (B,) or (B, 1): a module or a function.
        bounds: lowest and highest x, lowest and highest y.
        resolution: points along each side, at least 3.
        memory: bytes that the widest layer may take at a time.
    """
    ok = len(bounds) == 4 and all(is_real(bound) for bound in bounds)
    ok = ok and bounds[0] < bounds[1] and bounds[2] < bounds[3]
    require(ok, "bounds", OWNER, "(x from, x to, y from, y to), rising", bounds)
    require(is_int(resolution) and resolution > 2, "resolution", OWNER, "above 2", resolution)
    positive_int(memory, "memory", OWNER)
    x = np.linspace(bounds[0], bounds[1], resolution)
    y = np.linspace(bounds[2], bounds[3], resolution)
    points = torch.from_numpy(np.stack(np.meshgrid(x, y), -1).reshape(-1, 2))
    if (parameter := _parameter(predict)) is not None:
        points = points.to(parameter)
    with looking_at(predict):
        _check(predict, points[:: resolution**2 // 3])
        pieces = [predict(rows).reshape(-1) for rows in points.split(_rows(predict, memory))]
    values = torch.cat(pieces).double().cpu().numpy()
    if not np.isfinite(values).all():
        raise NonFiniteError("the classifier returns NaN or infinity on the grid")
    return PredictionGrid(x, y, values.reshape(resolution, resolution))


def _check(predict: Callable[[Tensor], Tensor], few: Tensor) -> None:
    shape = tuple(predict(few).shape)
    ok = shape in {(len(few),), (len(few), 1)}
    require(ok, "predict", OWNER, f"a function to {(len(few),)} for as many points", shape)
    refuse_random(predict, few)


def _parameter(predict: Callable[[Tensor], Tensor]) -> Tensor | None:
    return next(predict.parameters(), None) if isinstance(predict, nn.Module) else None


def _rows(predict: Callable[[Tensor], Tensor], memory: int) -> int:
    """Return how many points fit, if two activations of the widest layer are held at a time."""
    widths = [NARROW]
    if isinstance(predict, nn.Module):
        widths += [parameter.shape[0] for parameter in predict.parameters() if parameter.dim()]
    return max(1, memory // (2 * 8 * max(widths)))
