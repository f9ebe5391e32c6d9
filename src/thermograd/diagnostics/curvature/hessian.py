"""Hessian of the mean loss, as an operator or in full.

    H = (1/N) Σ_n ∇²loss_n

A product costs about two gradients. Where the graph of the gradient fits into memory it is kept
between products; else it is built anew, piece by piece.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import grad, vjp, vmap

from ..._errors import NonFiniteError, OutOfMemoryError
from .._progress import track
from ..objective import Objective
from .operator import SymmetricOperator

__all__ = ["hessian_matrix", "hessian_operator"]

GRAPH = 6.0  # activations that the graph of a gradient holds, in units of those of the loss
Product = Callable[[Tensor], Tensor]


def hessian_operator(objective: Objective) -> SymmetricOperator:
    """Return v ↦ H v at the objective's point."""
    pieces = list(objective.pieces(GRAPH))
    kept = _product(objective, *pieces[0]) if len(pieces) == 1 else None

    def apply(v: Tensor) -> Tensor:
        if kept is not None:
            return kept(v).detach()
        total = torch.zeros_like(v)
        for x, y in pieces:
            total += _product(objective, x, y)(v).detach()
        return total

    return SymmetricOperator(apply, objective.point, objective.num_data, "Hessian")


def hessian_matrix(objective: Objective) -> Tensor:
    """Return H in full, shape (d, d), symmetrised.

    It takes twice d²·8 bytes in float64 (d²·4 in float32), which the objective's memory must allow.
    """
    d, point = objective.num_params, objective.point
    needed = 2 * d * d * point.element_size()
    if needed > objective.memory:
        raise OutOfMemoryError(
            f"the Hessian of {d:,} parameters takes {needed:,} bytes with its transpose, and the "
            f"memory allowed is {objective.memory:,}; allow more, or use hessian_operator"
        )
    rows = torch.zeros(d, d, dtype=point.dtype, device=point.device)
    width = max(1, min(d, 64, objective.memory // max(1, 8 * d * point.element_size())))
    pieces = list(objective.pieces(GRAPH * (1 + width / 2)))
    starts = range(0, d, width)
    for number, (x, y) in enumerate(pieces):
        product = vmap(_product(objective, x, y))
        for start in track(starts, f"Hessian, piece {number + 1} of {len(pieces)}"):
            stop = min(d, start + width)
            basis = torch.zeros(stop - start, d, dtype=point.dtype, device=point.device)
            basis.diagonal(start).fill_(1)
            rows[start:stop] += product(basis).detach()
    if not bool(torch.isfinite(rows).all()):
        raise NonFiniteError("the Hessian holds NaN or infinity")
    return (rows + rows.T).div_(2)


def _product(objective: Objective, x: Tensor, y: Tensor) -> Product:
    """Return v ↦ H v over some examples, as their share of the mean over all."""

    def share(theta: Tensor) -> Tensor:
        return objective.losses(theta, x, y).sum() / objective.num_data

    # H is symmetric, so the vector-Jacobian product of the gradient is H v.
    _, pull = vjp(grad(share), objective.point)  # pyright: ignore[reportAssignmentType]
    return lambda v: pull(v)[0]
