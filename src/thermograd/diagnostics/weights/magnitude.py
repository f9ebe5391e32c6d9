"""Largest weight, max |w|, of every tensor: what a constraint or a penalty is to keep small."""

from ..estimate import Estimate
from ._named import Weights, named

__all__ = ["largest_weights"]


def largest_weights(weights: Weights) -> dict[str, Estimate[float]]:
    """Return max |w| of every tensor, by name.

    Args:
        weights: a model, or tensors by name.
    """
    return {
        name: Estimate(float(tensor.abs().max()), 0.0, tensor.numel(), "parameter")
        for name, tensor in named(weights, "largest_weights").items()
    }
