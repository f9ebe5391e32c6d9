"""How sharply a classifier of the plane changes its mind along the two axes.

    |∂φ/∂x| along y = 0 and |∂φ/∂y| along x = 0, by second-order central differences on the grid

References:
    Vlaar (2022), doctoral thesis, University of Edinburgh, Figure 4.3.
"""

from dataclasses import dataclass

import numpy as np

from ..._checks import is_real, require
from ..estimate import Array, Estimate
from .regions import PredictionGrid

__all__ = ["Transition", "transition_sharpness"]


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """Slopes of a function along a horizontal and a vertical line.

    Attributes:
        x: of the horizontal line's points.
        horizontal: ∂φ/∂x there.
        y: of the vertical line's points.
        vertical: ∂φ/∂y there.
        steepest: the largest of all sizes; the uncertainty is not known.
    """

    x: Array
    horizontal: Array
    y: Array
    vertical: Array
    steepest: Estimate[float]


def transition_sharpness(
    grid: PredictionGrid, through: tuple[float, float] = (0.0, 0.0)
) -> Transition:
    """Return the slopes along the grid's row and column nearest to a point.

    Args:
        grid: the function.
        through: (x, y) on the grid.
    """
    ok = all(is_real(value) for value in through)
    ok = ok and grid.x[0] <= through[0] <= grid.x[-1] and grid.y[0] <= through[1] <= grid.y[-1]
    require(ok, "through", "transition_sharpness", "a point of the grid", through)
    row = int(np.argmin(np.abs(grid.y - through[1])))
    column = int(np.argmin(np.abs(grid.x - through[0])))
    horizontal = np.gradient(grid.values[row], grid.x, edge_order=2)
    vertical = np.gradient(grid.values[:, column], grid.y, edge_order=2)
    top = float(max(np.abs(horizontal).max(), np.abs(vertical).max()))
    steepest = Estimate(top, float("nan"), len(horizontal) + len(vertical), "1/length")
    return Transition(grid.x, horizontal, grid.y, vertical, steepest)
