"""Curvature of a decision boundary, the level curve φ = c of a function of the plane.

    level set   κ = |φ_xx φ_y² − 2 φ_x φ_y φ_xy + φ_yy φ_x²| / (φ_x² + φ_y²)^{3/2}
    contour     κ = |x″ y′ − x′ y″| / (x′² + y′²)^{3/2}

The first takes derivatives of φ on the grid and reads κ at the points of the boundary; its error
is of second order in the grid's spacing. The second is the source's: derivatives with respect to
the number of a point along the contour that matplotlib draws, by second-order central differences.
Contour points lie where the curve crosses a grid line, so two of them may be very close, and what
the drawing rounds off there is divided by a distance that is nearly zero: the mean and most of all
the maximum grow with such pairs, not with the boundary. Points closer than a thousandth of the
spacing are merged before that. Both read points of all pieces of the boundary together.

References:
    Vlaar (2022), doctoral thesis, University of Edinburgh, equation (4.60) and the one above.
"""

from dataclasses import dataclass

import numpy as np
from contourpy import contour_generator

from ..._checks import is_real, require
from ..estimate import Array, Estimate
from .regions import PredictionGrid

__all__ = ["BoundaryCurvature", "contour_curvature", "level_set_curvature"]

MERGE = 1e-3  # of the grid's spacing
FLAT = 1e-12  # of the largest slope on the grid


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryCurvature:
    """How bent a boundary is.

    Attributes:
        mean: over the points of the boundary; its uncertainty is their standard deviation over √n,
            which takes neighbours for independent and so is a lower bound.
        sd: standard deviation over the points.
        median: over the points.
        maximum: over the points.
        num_pieces: curves the boundary consists of.
        points: where it was read, shape (n, 2).
        values: at every point, shape (n,).
    """

    mean: Estimate[float]
    sd: float
    median: float
    maximum: float
    num_pieces: int
    points: Array
    values: Array


def level_set_curvature(grid: PredictionGrid, level: float = 0.5) -> BoundaryCurvature:
    """Return the curvature of the curve φ = level from derivatives of φ on the grid.

    Args:
        grid: the function.
        level: c; ½ for probabilities, 0 for logits.
    """
    pieces = _pieces(grid, level, "level_set_curvature")
    points = np.concatenate(pieces)
    dx, dy = _spacing(grid)
    phi_x = np.gradient(grid.values, dx, axis=1, edge_order=2)
    phi_y = np.gradient(grid.values, dy, axis=0, edge_order=2)
    phi_xx = np.gradient(phi_x, dx, axis=1, edge_order=2)
    phi_xy = np.gradient(phi_x, dy, axis=0, edge_order=2)
    phi_yy = np.gradient(phi_y, dy, axis=0, edge_order=2)
    bent: Array = np.abs(phi_xx * phi_y**2 - 2 * phi_x * phi_y * phi_xy + phi_yy * phi_x**2)
    slope: Array = phi_x**2 + phi_y**2
    top, bottom = _at(grid, bent, points), _at(grid, slope, points)
    ok = bottom > FLAT**2 * float(slope.max())
    return _record(points[ok], top[ok] / bottom[ok] ** 1.5, len(pieces))


def contour_curvature(grid: PredictionGrid, level: float = 0.5) -> BoundaryCurvature:
    """Return the curvature of the contour φ = level as (4.60) has it, from the contour's points.

    Args:
        grid: the function.
        level: c; ½ for probabilities, 0 for logits.
    """
    pieces = _pieces(grid, level, "contour_curvature")
    values: list[Array] = []
    for piece in pieces:
        is_closed = bool(np.array_equal(piece[0], piece[-1]))
        values.append(_along(piece, is_closed))
    return _record(np.concatenate(pieces), np.concatenate(values), len(pieces))


def _along(piece: Array, is_closed: bool) -> Array:
    """Return κ at every point of a curve; a closed one repeats its first point at the end."""
    padded = np.concatenate([piece[-3:-1], piece, piece[1:3]]) if is_closed else piece
    first = np.gradient(padded, axis=0, edge_order=2)
    second = np.gradient(first, axis=0, edge_order=2)
    (x1, y1), (x2, y2) = first.T, second.T
    kappa = np.abs(x2 * y1 - x1 * y2) / (x1**2 + y1**2) ** 1.5
    return kappa[2:-2] if is_closed else kappa


def _pieces(grid: PredictionGrid, level: float, owner: str) -> list[Array]:
    """Return the curves of a contour, without points that are as good as the same."""
    require(is_real(level), "level", owner, "a finite number", level)
    shape = (len(grid.y), len(grid.x))
    ok = grid.values.shape == shape and min(shape) > 2
    require(ok, "grid", owner, "of shape (Y, X), both above 2", grid.values.shape)
    lines = contour_generator(grid.x, grid.y, grid.values).lines(level)
    short = MERGE * min(_spacing(grid))
    pieces = [_merged(np.asarray(line, dtype=np.float64), short) for line in lines]
    pieces = [piece for piece in pieces if len(piece) > 4]
    low, high = float(grid.values.min()), float(grid.values.max())
    found = f"no boundary of 5 points or more; the values run from {low:.4g} to {high:.4g}"
    require(bool(pieces), "level", owner, "a value that the function crosses", f"{level}: {found}")
    return pieces


def _merged(line: Array, short: float) -> Array:
    """Return a curve without the points that are closer than `short` to the last one kept."""
    is_closed = bool(np.array_equal(line[0], line[-1]))
    kept = [line[0]]
    for point in line[1:]:
        if np.hypot(*(point - kept[-1])) > short:
            kept.append(point)
    if is_closed and len(kept) > 1:
        if np.hypot(*(kept[-1] - kept[0])) <= short:
            kept.pop()
        kept.append(kept[0])
    return np.array(kept)


def _spacing(grid: PredictionGrid) -> tuple[float, float]:
    dx = float(grid.x[-1] - grid.x[0]) / (len(grid.x) - 1)
    return dx, float(grid.y[-1] - grid.y[0]) / (len(grid.y) - 1)


def _at(grid: PredictionGrid, field: Array, points: Array) -> Array:
    """Return a field on the grid at points between, by bilinear interpolation."""
    dx, dy = _spacing(grid)
    column = np.clip((points[:, 0] - grid.x[0]) / dx, 0, len(grid.x) - 1 - 1e-9)
    row = np.clip((points[:, 1] - grid.y[0]) / dy, 0, len(grid.y) - 1 - 1e-9)
    i, j = row.astype(int), column.astype(int)
    s, t = row - i, column - j
    below = (1 - t) * field[i, j] + t * field[i, j + 1]
    above = (1 - t) * field[i + 1, j] + t * field[i + 1, j + 1]
    return (1 - s) * below + s * above


def _record(points: Array, values: Array, num_pieces: int) -> BoundaryCurvature:
    n, sd = len(values), float(values.std(ddof=1))
    mean = Estimate(float(values.mean()), sd / n**0.5, n, "1/length")
    median, top = float(np.median(values)), float(values.max())
    return BoundaryCurvature(mean, sd, median, top, num_pieces, points, values)
