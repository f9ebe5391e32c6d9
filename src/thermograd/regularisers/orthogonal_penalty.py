"""The soft form of orthogonal weights: a penalty that is 0 on the Stiefel manifold."""

import torch
from torch import Tensor, nn

from .._checks import non_negative
from ..geometry import Where
from ._matrices import weights_of

__all__ = ["orthogonal_penalty"]


def orthogonal_penalty(model: nn.Module, strength: float, *where: Where) -> Tensor:
    """Return a penalty to add to the loss.

        λ Σ_l ‖W_lᵀ W_l − I‖²

    with the sum of squares of all elements, over weights W_l of r × s with r ≥ s; one with
    fewer rows than columns is transposed, a convolution is (filters) × (inputs · kernel). The
    source gives no formula; this is the usual one.

    Args:
        model: whose weights are meant.
        strength: λ ≥ 0; the source's best is 0.05, without the first and the last layer.
        where: names or patterns of weights, or types of layers; all of them if none is given.

    References:
        Vlaar (2022), thesis, University of Edinburgh, section 4.4.
    """
    non_negative(strength, "strength", "orthogonal_penalty")
    weights = weights_of(model, where, "orthogonal_penalty")
    return strength * torch.stack([_off(weight.flatten(1)) for weight in weights]).sum()


def _off(w: Tensor) -> Tensor:
    """Return ‖WᵀW − I‖² of a matrix, of its transpose if that is the taller one."""
    w = w.mT if w.shape[0] < w.shape[1] else w
    eye = torch.eye(w.shape[1], dtype=w.dtype, device=w.device)
    return (w.mT @ w - eye).square().sum()
