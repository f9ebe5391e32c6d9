"""Pairs of directions that a surface is drawn over, as vectors θ.

    random        independent Gaussian, every filter scaled to the norm of the model's own
    trajectory    leading principal directions of the points of a path
    difference    towards two other points, made orthogonal if asked

The covariance of a trajectory's draws gives directions too: `covariance_directions` of
`diagnostics.correlation`.

References:
    Li, Xu, Taylor, Studer and Goldstein (2018), arXiv:1712.09913, sections 4 and 7.
"""

import torch
from torch import Tensor

from ..._checks import is_int, require
from ..objective import Objective

__all__ = ["difference_directions", "path_directions", "random_directions"]


def random_directions(objective: Objective, num: int = 2, *, generator: torch.Generator) -> Tensor:
    """Return filter-normalised random directions at the objective's point, shape (num, d).

    A filter is a row of a weight: what makes one unit or channel. Biases and other tensors of one
    axis are not moved, as in the source.

    Args:
        objective: gives the point and the shapes.
        num: of directions.
        generator: draws them.
    """
    ok = is_int(num) and num > 0
    require(ok, "num", "random_directions", "an integer above 0", num)
    rows: list[Tensor] = []
    for _ in range(num):
        parts: list[Tensor] = []
        for value in objective.named(objective.point).values():
            drawn = torch.empty(value.shape, dtype=torch.float64, device=generator.device)
            drawn = drawn.normal_(generator=generator).to(value)
            parts.append(_like_filters(drawn, value).reshape(-1))
        rows.append(torch.cat(parts))
    return torch.stack(rows)


def path_directions(path: Tensor, num: int = 2) -> tuple[Tensor, Tensor]:
    """Return the leading principal directions of a path's points, and their share of its spread.

    Args:
        path: points, shape (K, d); the differences from the last one are analysed.
        num: of directions.

    Returns:
        unit vectors, shape (num, d), and each one's share of the squared distances, shape (num,).
    """
    most = min(path.shape[0] - 1, path.shape[1]) if path.dim() == 2 else 0
    require(path.dim() == 2, "path", "path_directions", "of shape (K, d)", tuple(path.shape))
    ok = is_int(num) and 0 < num <= most
    require(ok, "num", "path_directions", f"from 1 to {most}", num)
    away = path[:-1] - path[-1]
    _, sizes, vectors = torch.linalg.svd(away.double(), full_matrices=False)
    return vectors[:num].to(path), (sizes**2 / (sizes**2).sum())[:num]


def difference_directions(
    origin: Tensor, first: Tensor, second: Tensor, *, orthogonal: bool = False
) -> Tensor:
    """Return first − origin and second − origin, shape (2, d).

    Args:
        origin: a point.
        first: another.
        second: a third.
        orthogonal: whether to take from the second direction its share along the first.
    """
    one, two = first - origin, second - origin
    if orthogonal:
        two = two - (two @ one) / (one @ one) * one
    ok = bool(one.norm() > 0) and bool(two.norm() > 0)
    require(ok, "second", "difference_directions", "three points that span a plane", "a line")
    return torch.stack([one, two])


def _like_filters(drawn: Tensor, value: Tensor) -> Tensor:
    if value.dim() < 2:
        return torch.zeros_like(value)
    rows, own = drawn.reshape(len(drawn), -1), value.reshape(len(value), -1)
    scale = own.norm(dim=1, keepdim=True) / rows.norm(dim=1, keepdim=True)
    return (rows * scale).reshape(value.shape)
