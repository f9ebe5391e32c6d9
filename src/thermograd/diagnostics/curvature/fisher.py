"""Fisher information of a network's likelihood: exact or empirical, as an operator or diagonal.

    exact       F = (1/N) Σ_n E_{y ~ p(y | x_n)} ∇ℓ_n(y) ∇ℓ_n(y)ᵀ,   ℓ = −log p
    empirical   E = (1/N) Σ_n ∇ℓ_n(y_n) ∇ℓ_n(y_n)ᵀ
    centred     E − ∇f ∇fᵀ, whose diagonal the second and first moments of Adam estimate

The exact one needs a likelihood whose output is its natural parameter: "cross_entropy", "binary",
Gaussian of known noise. There F is the Gauss-Newton matrix, for the expectation over y is then in
closed form. The empirical one exists for any loss and is not F: it takes the labels as they are.

References:
    Kunstner, Balles and Hennig (2019), arXiv:1905.12558.
    Chaudhari (2018), doctoral thesis, UCLA, section 3.5 (the centred diagonal).
"""

from typing import Literal

import torch
from torch import Tensor
from torch.func import grad, jacrev, vmap

from ..._checks import one_of
from ..._errors import ParameterError
from ...potentials.likelihoods import Bernoulli, Categorical, Gaussian
from .._progress import track
from ..estimate import Array, Estimate
from ..objective import Objective
from .ggn import ggn_operator
from .operator import SymmetricOperator

__all__ = ["fisher_diagonal", "fisher_operator", "per_example_gradients"]

NATURAL = (Bernoulli, Categorical, Gaussian)


def fisher_operator(
    objective: Objective, kind: Literal["exact", "empirical"] = "exact"
) -> SymmetricOperator:
    """Return v ↦ F v (exact) or v ↦ E v (empirical) at the objective's point."""
    one_of(kind, ("exact", "empirical"), "kind", "fisher_operator")
    if kind == "exact":
        _need_natural(objective)
        return ggn_operator(objective)

    def apply(v: Tensor) -> Tensor:
        total = torch.zeros_like(v)
        for x, y in objective.pieces(2.0, _bytes(objective)):
            rows = per_example_gradients(objective, x, y)
            total += rows.T @ (rows @ v) / objective.num_data
        return total

    return SymmetricOperator(apply, objective.point, objective.num_data, "empirical Fisher")


def fisher_diagonal(
    objective: Objective, kind: Literal["exact", "empirical", "centred"] = "exact"
) -> Estimate[Array]:
    """Return the diagonal of a Fisher matrix, shape (d,).

    Its uncertainty is the standard error over examples, as an estimate for the law that the data
    are drawn from.
    """
    one_of(kind, ("exact", "empirical", "centred"), "kind", "fisher_diagonal")
    if kind == "exact":
        _need_natural(objective)
    num, zero = objective.num_data, torch.zeros_like(objective.point, dtype=torch.float64)
    mean, first, second = zero.clone(), zero.clone(), zero.clone()
    outputs = 1 if kind != "exact" else _num_outputs(objective)
    pieces = list(objective.pieces(2.0, outputs * _bytes(objective)))
    for x, y in track(pieces, "Fisher diagonal"):
        rows = per_example_gradients(objective, x, y) if kind != "exact" else None
        squares = (_expected(objective, x, y) if rows is None else rows**2).double()
        first += squares.sum(0) / num
        second += (squares**2).sum(0) / num
        mean += zero if rows is None else rows.double().sum(0) / num
    value = first - mean**2 if kind == "centred" else first
    error = ((second - first**2).clamp_min(0) / max(num - 1, 1)).sqrt()
    return Estimate(value.cpu().numpy(), error.cpu().numpy(), num, "loss/parameter²")


def per_example_gradients(objective: Objective, x: Tensor, y: Tensor) -> Tensor:
    """Return the gradient of every example's loss at the objective's point, shape (B, d)."""

    def one(theta: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return objective.losses(theta, x.unsqueeze(0), y.unsqueeze(0)).sum()

    return vmap(grad(one), in_dims=(None, 0, 0))(objective.point, x, y).detach()


def _expected(objective: Objective, x: Tensor, y: Tensor) -> Tensor:
    """Return the diagonal of J_nᵀ A_n J_n for every example, by a root of A_n, shape (B, d)."""

    def output(theta: Tensor, x: Tensor) -> Tensor:
        return objective.outputs(theta, x.unsqueeze(0)).reshape(-1)

    def bent(prediction: Tensor, y: Tensor) -> Tensor:
        return objective.network.losses(prediction.unsqueeze(0), y.unsqueeze(0)).sum()

    predictions = objective.outputs(objective.point, x)
    size = predictions[0].numel()
    curved = vmap(jacrev(grad(bent)))(predictions, y).reshape(-1, size, size)
    values, vectors = torch.linalg.eigh(curved)
    roots = vectors * values.clamp_min(0).sqrt().unsqueeze(1)  # (B, K, K), A = R Rᵀ
    jacobians = vmap(jacrev(output), in_dims=(None, 0))(objective.point, x)  # (B, K, d)
    return (roots.mT @ jacobians).square().sum(1).detach()


def _bytes(objective: Objective) -> int:
    return 3 * objective.num_params * objective.point.element_size()


def _num_outputs(objective: Objective) -> int:
    return objective.outputs(objective.point, objective.network.data[0][:1]).numel()


def _need_natural(objective: Objective) -> None:
    likelihood = objective.network.likelihood
    if not isinstance(likelihood, NATURAL):
        raise ParameterError(
            "the exact Fisher matrix is defined for the losses 'cross_entropy', 'binary' and "
            f"'gaussian'; this one is {likelihood or 'a function'}. kind='empirical' takes any."
        )
