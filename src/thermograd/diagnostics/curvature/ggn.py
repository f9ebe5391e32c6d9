"""Generalised Gauss-Newton matrix of the mean loss, as an operator.

    G = (1/N) Σ_n J_nᵀ A_n J_n,   J_n = ∂output_n/∂θ,   A_n = ∇² of the loss by the output

G is the Hessian without the curvature of the network, positive where the loss is convex in the
output, and equal to it for a linear model or at residual 0.

References:
    Schraudolph (2002), doi:10.1162/08997660260028683, section 3.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import grad, vjp

from ..objective import Objective
from .operator import SymmetricOperator

__all__ = ["ggn_operator"]

GRAPH = 6.0  # activations that the graphs hold, in units of those of the loss
Product = Callable[[Tensor], Tensor]


def ggn_operator(objective: Objective) -> SymmetricOperator:
    """Return v ↦ G v at the objective's point."""
    pieces = list(objective.pieces(GRAPH))
    kept = _product(objective, *pieces[0]) if len(pieces) == 1 else None

    def apply(v: Tensor) -> Tensor:
        if kept is not None:
            return kept(v)
        total = torch.zeros_like(v)
        for x, y in pieces:
            total += _product(objective, x, y)(v)
        return total

    return SymmetricOperator(apply, objective.point, objective.num_data, "GGN")


def _product(objective: Objective, x: Tensor, y: Tensor) -> Product:
    """Return v ↦ G v over some examples, as their share of the mean over all."""

    def outputs(theta: Tensor) -> Tensor:
        return objective.outputs(theta, x)

    def share(prediction: Tensor) -> Tensor:
        return objective.network.losses(prediction, y).sum() / objective.num_data

    prediction, pull = _vjp(outputs, objective.point)
    # u ↦ Jᵀu is linear, so its own vector-Jacobian product is v ↦ J v, with no forward mode.
    _, push = _vjp(pull, torch.zeros_like(prediction))
    _, bend = _vjp(grad(share), prediction.detach())
    return lambda v: pull(bend(push(v).detach())).detach()


def _vjp(fn: Product, at: Tensor) -> tuple[Tensor, Product]:
    value, pull = vjp(fn, at)  # pyright: ignore[reportAssignmentType]
    return value, lambda u: pull(u)[0]
