"""The binary perceptron by enumeration of all 2^d weights; d is odd, so there are no ties."""

import math

import torch
from torch import Tensor

__all__ = ["all_weights", "expected_pairs", "local_entropy", "patterns", "solves"]


def all_weights(d: int) -> Tensor:
    """Return {−1, 1}^d, shape (2^d, d)."""
    bits = (torch.arange(2**d).unsqueeze(1) >> torch.arange(d)) & 1
    return (2 * bits - 1).float()


def patterns(num: int, d: int, generator: torch.Generator) -> Tensor:
    """Draw ξ from {−1, 1}^d, shape (num, d)."""
    return (2 * torch.randint(2, (num, d), generator=generator) - 1).float()


def solves(weights: Tensor, xi: Tensor, labels: Tensor) -> Tensor:
    """Return for all weights whether y x·ξ > 0 for all patterns: f(x) of the perceptron."""
    return (weights @ (xi * labels.unsqueeze(1)).T > 0).all(1)


def local_entropy(weights: Tensor, found: Tensor, distance: int) -> Tensor:
    """Return, for each solution x, how many solutions y differ from it in `distance` weights.

    This is f_γ of the discrete form at γ = distance/d, where x·y/d = 1 − 2γ.
    """
    solutions = weights[found]
    overlap = weights.shape[1] - 2 * distance
    return (solutions @ solutions.T == overlap).sum(1)


def expected_pairs(d: int, num: int, distance: int) -> float:
    """Return the mean number of ordered pairs of solutions at a distance, for random labels.

    A pattern's field on the d − k weights that two vectors share is A and on the other k it is B:
    both are right if A > |B|, and patterns are independent.
    """
    k = distance
    shared = _walk(d - k)
    other = _walk(k)
    both = sum(p * q for a, p in shared.items() for b, q in other.items() if a > abs(b))
    return 2.0**d * math.comb(d, k) * both**num


def _walk(n: int) -> dict[int, float]:
    """Return the law of a sum of n random signs."""
    return {2 * up - n: math.comb(n, up) / 2.0**n for up in range(n + 1)}
