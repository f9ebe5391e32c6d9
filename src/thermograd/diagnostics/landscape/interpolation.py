"""Loss on the straight line between two points, as a whole or with a part of the parameters.

    θ(α) = (1 − α) θ_a + α θ_b,   α from 0 to 1

With a part, the named tensors move and the others stay at θ_b. Three shapes are told apart:

    barrier    somewhere along the path the loss rises by more than the tolerance
    plateau    no barrier, and half way the loss has lost less than a tenth of what it loses in all
    monotone   else

The source draws the same three without a formula; tolerance (1% of the loss's range on the path)
and tenth are ours. `rise` is the largest rise, `barrier` the largest excess over the straight line
between the two ends, which is the usual barrier of mode connectivity.

References:
    Vlaar (2022), doctoral thesis, University of Edinburgh, (6.1) and (6.2).
    Frankle, Dziugaite, Roy and Carbin (2020), arXiv:1912.05671 (the excess over the line).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch

from ..._checks import is_int, is_real, require, unknown_name
from ..estimate import Array, Estimate
from ..objective import Objective
from ..weights import drift
from ._evaluate import Family, mean_losses
from .points import Point, minus, named_point, same_names

__all__ = ["Interpolation", "Shape", "interpolate", "interpolate_parts", "shape_of"]

Shape = Literal["barrier", "plateau", "monotone"]
TOLERANCE = 0.01
LEFT_OF_PLATEAU = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Interpolation:
    """Loss along a line.

    Attributes:
        alphas: α.
        loss: mean over the data; the uncertainty is the standard error over examples.
        shape: "barrier", "plateau" or "monotone".
        rise: largest rise of the loss along the path; 0 if it never rises.
        barrier: largest excess over the line between the two ends; 0 if there is none.
        at: α where the loss is highest.
        distance: ‖θ_b − θ_a‖/‖θ_a‖ of what moves.
    """

    alphas: Array
    loss: Estimate[Array]
    shape: Shape
    rise: float
    barrier: float
    at: float
    distance: Estimate[float]


def interpolate(
    objective: Objective,
    start: Point,
    end: Point,
    *,
    num_points: int = 51,
    part: Sequence[str] | None = None,
    tolerance: float = TOLERANCE,
) -> Interpolation:
    """Return the loss on the line between two points.

    Args:
        objective: model, loss and data.
        start: θ_a, a model or a vector. Between two models, batch statistics move too.
        end: θ_b.
        num_points: values of α, from 0 to 1 in equal steps.
        part: names of the tensors that move; all if not given.
        tolerance: rise that makes a barrier, as a share of the range of the loss.
    """
    owner = "interpolate"
    ok = is_int(num_points) and num_points > 2
    require(ok, "num_points", owner, "an integer above 2", num_points)
    ok = is_real(tolerance) and 0 <= tolerance < 1
    require(ok, "tolerance", owner, "a share from 0 to 1", tolerance)
    a, b = (named_point(objective, point, owner) for point in (start, end))
    a, b = same_names(a, b, owner)
    for name in part or ():
        if name not in a:
            raise unknown_name("parameter", name, a)
    moving = list(a) if part is None else list(part)
    origin = {name: a[name] if name in moving else b[name] for name in a}
    way = minus({name: b[name] for name in moving}, {name: a[name] for name in moving})
    alphas = np.linspace(0, 1, num_points)
    coordinates = torch.from_numpy(alphas).unsqueeze(1)
    loss = mean_losses(objective, Family(origin, (way,)), coordinates)
    excess = loss.value - ((1 - alphas) * loss.value[0] + alphas * loss.value[-1])
    rise = float((loss.value - np.minimum.accumulate(loss.value)).max())
    counted = [name for name in moving if name in objective.names] or moving
    apart = drift({n: a[n] for n in counted}, {n: b[n] for n in counted})
    shape = shape_of(loss.value, tolerance=tolerance)
    highest = float(alphas[int(loss.value.argmax())])
    return Interpolation(alphas, loss, shape, rise, max(0.0, float(excess.max())), highest, apart)


def interpolate_parts(
    objective: Objective,
    start: Point,
    end: Point,
    groups: Mapping[str, Sequence[str]],
    *,
    num_points: int = 51,
) -> dict[str, Interpolation]:
    """Return an interpolation for each group of parameters, the others staying at the end.

    Args:
        objective: model, loss and data.
        start: θ_a.
        end: θ_b.
        groups: names by group, as `by_layer` and `by_kind` return them.
        num_points: values of α.
    """
    return {
        group: interpolate(objective, start, end, num_points=num_points, part=names)
        for group, names in groups.items()
    }


def shape_of(loss: Array, *, tolerance: float = TOLERANCE) -> Shape:
    """Return the class of a curve of losses at equal steps from the start to the end."""
    allowed = tolerance * float(loss.max() - loss.min())
    if float((loss - np.minimum.accumulate(loss)).max()) > allowed:
        return "barrier"
    first, last = float(loss[0]), float(loss[-1])
    middle = float(np.interp(0.5, np.linspace(0, 1, len(loss)), loss))
    held = first > last and middle >= last + LEFT_OF_PLATEAU * (first - last)
    return "plateau" if held else "monotone"
