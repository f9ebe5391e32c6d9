"""Loss over a plane of parameters.

    plane         f(θ₀ + a d₁ + b d₂)
    two minima    f(β F₁ + (1 − β) F₂),  F_i = θ₀ + α (θ_i − θ₀)

The second is the source's (3.36): a map of a square onto the plane through θ₀ and two minima, in
which α = 0 is θ₀ for every β, and (α, β) = (1, 1) and (1, 0) are θ₁ and θ₂.

References:
    Vlaar (2022), doctoral thesis, University of Edinburgh, (3.36).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..._checks import is_int, require
from ..estimate import Array, Estimate
from ..objective import Objective
from ._evaluate import Family, mean_losses
from .points import Point, minus, named_point, same_names

__all__ = ["Surface", "loss_surface", "two_minima_surface"]


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """Loss on a grid.

    Attributes:
        x: values of the first coordinate, shape (X,).
        y: values of the second, shape (Y,).
        loss: mean over the data, shape (Y, X); the uncertainty is the standard error over examples.
        labels: what the two coordinates are.
    """

    x: Array
    y: Array
    loss: Estimate[Array]
    labels: tuple[str, str]

    def log_gap(self, reference: float | None = None) -> Array:
        """Return log₁₀|f − f₀|, which shows the floor of a funnel; −∞ at f₀ itself.

        Args:
            reference: f₀; the lowest loss on the grid if not given.
        """
        lowest = float(self.loss.value.min()) if reference is None else reference
        with np.errstate(divide="ignore"):
            return np.log10(np.abs(self.loss.value - lowest))


def loss_surface(
    objective: Objective,
    directions: Tensor,
    *,
    origin: Tensor | None = None,
    width: float | tuple[float, float] = 1.0,
    resolution: int = 41,
) -> Surface:
    """Return the loss on a square around a point.

    Args:
        objective: model, loss and data.
        directions: d₁ and d₂, shape (2, d); coordinates are in units of their lengths.
        origin: θ₀; the objective's point if not given.
        width: coordinates run from −width to width, one for both or one for each.
        resolution: points along each side.
    """
    owner = "loss_surface"
    _check_resolution(resolution, owner)
    wanted = (2, objective.num_params)
    ok = tuple(directions.shape) == wanted and bool(torch.isfinite(directions).all())
    require(ok, "directions", owner, f"finite, of shape {wanted}", tuple(directions.shape))
    widths = width if isinstance(width, tuple) else (width, width)
    require(min(widths) > 0, "width", owner, "above 0", width)
    start = objective.point if origin is None else objective.check(origin, "origin", owner)
    one, two = (objective.named(row) for row in directions.detach().to(objective.point))
    x, y = (np.linspace(-limit, limit, resolution) for limit in widths)
    grid = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    family = Family(objective.named(start), (one, two))
    loss = mean_losses(objective, family, torch.from_numpy(grid))
    return Surface(x, y, _shaped(loss, resolution), ("first direction", "second direction"))


def two_minima_surface(
    objective: Objective,
    start: Point,
    first: Point,
    second: Point,
    *,
    reach: float = 1.0,
    resolution: int = 41,
) -> Surface:
    """Return the loss over (α, β) between a start and two minima.

    Args:
        objective: model, loss and data.
        start: θ₀, a model or a vector.
        first: θ₁, reached at α = 1, β = 1.
        second: θ₂, reached at α = 1, β = 0.
        reach: α and β run from 1 − reach to reach.
        resolution: points along each side.
    """
    owner = "two_minima_surface"
    _check_resolution(resolution, owner)
    require(reach > 0.5, "reach", owner, "above ½", reach)
    zero, one, two = (named_point(objective, point, owner) for point in (start, first, second))
    zero, one = same_names(zero, one, owner)
    zero, two = same_names(zero, two, owner)
    one = {name: one[name] for name in zero}
    side = np.linspace(1 - reach, reach, resolution)
    alpha, beta = (part.reshape(-1) for part in np.meshgrid(side, side))
    coordinates = torch.from_numpy(np.stack([alpha * beta, alpha * (1 - beta)], 1))
    family = Family(zero, (minus(one, zero), minus(two, zero)))
    loss = mean_losses(objective, family, coordinates)
    return Surface(side, side, _shaped(loss, resolution), ("α", "β"))


def _check_resolution(resolution: int, owner: str) -> None:
    ok = is_int(resolution) and resolution > 1
    require(ok, "resolution", owner, "an integer above 1", resolution)


def _shaped(loss: Estimate[Array], resolution: int) -> Estimate[Array]:
    shape = (resolution, resolution)
    return Estimate(loss.value.reshape(shape), loss.uncertainty.reshape(shape), loss.n, loss.unit)
