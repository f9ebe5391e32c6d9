"""A path in parameter space, seen in a plane.

a = argmin ‖θ − θ₀ − Σ_i a_i d_i‖,   with what is left of θ − θ₀ out of the plane
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..._checks import require
from ..estimate import Array

__all__ = ["Projection", "project_path"]


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Coordinates of points in a plane.

    Attributes:
        coordinates: a, shape (K, i), in units of the directions' lengths.
        off_plane: share of each point's squared distance from the origin that the plane misses,
            shape (K,); 0 at the origin itself.
    """

    coordinates: Array
    off_plane: Array


def project_path(path: Tensor, origin: Tensor, directions: Tensor) -> Projection:
    """Return the coordinates of a path's points; the directions need not be orthogonal.

    Args:
        path: points, shape (K, d).
        origin: θ₀, shape (d,).
        directions: as rows, shape (i, d).
    """
    ok = path.dim() == 2 and directions.dim() == 2 and path.shape[1:] == origin.shape
    ok = ok and directions.shape[1:] == origin.shape
    shapes = tuple(path.shape), tuple(origin.shape), tuple(directions.shape)
    require(ok, "path", "project_path", "(K, d), with an origin (d,) and directions (i, d)", shapes)
    away, rows = (path - origin).double(), directions.double()
    gram = rows @ rows.T
    rank = int(torch.linalg.matrix_rank(gram))
    require(rank == len(rows), "directions", "project_path", "independent", f"rank {rank}")
    coordinates = torch.linalg.solve(gram, rows @ away.T).T
    left = (away - coordinates @ rows).square().sum(1)
    size = away.square().sum(1)
    share = torch.where(size > 0, left / size.clamp_min(torch.finfo(size.dtype).tiny), 0.0)
    return Projection(coordinates.numpy(), share.numpy())
