"""How far a weight is from orthogonal.

    ‖QᵀQ − 1‖₂,   Q the weight as a matrix out × (in · ...), or its transpose if that is taller

It is the largest of |σ² − 1| over the singular values σ, and twice the size of the correction that
a step of the orthogonality constraint would make.

References:
    Vlaar (2022), doctoral thesis, University of Edinburgh, after (4.55).
"""

import torch

from ..estimate import Estimate
from ._named import Weights, named

__all__ = ["orthogonality_defects"]


def orthogonality_defects(weights: Weights) -> dict[str, Estimate[float]]:
    """Return the defect of every tensor with two axes or more, by name.

    Args:
        weights: a model, or tensors by name.
    """
    found: dict[str, Estimate[float]] = {}
    for name, tensor in named(weights, "orthogonality_defects").items():
        if tensor.dim() > 1:
            sizes = torch.linalg.svdvals(tensor.flatten(1))
            worst = float((sizes**2 - 1).abs().max())
            found[name] = Estimate(worst, 0.0, len(sizes), "1")
    return found
