"""Negative log likelihood of labels, a proper score: lowest for the true probabilities."""

import torch
from torch import Tensor

from ._labels import check

__all__ = ["negative_log_likelihood"]


def negative_log_likelihood(probabilities: Tensor, labels: Tensor) -> float:
    """Return −(1/N) Σ_n ln p(y_n | x_n), in nats; infinite if a label was held impossible.

    Args:
        probabilities: of the classes, shape (N, C), rows that sum to 1.
        labels: class numbers, shape (N,).

    >>> probabilities = torch.tensor([[0.5, 0.5], [0.25, 0.75]])
    >>> round(negative_log_likelihood(probabilities, torch.tensor([0, 0])), 6)
    1.039721
    """
    check(probabilities, labels, "negative_log_likelihood")
    chosen = probabilities.double().gather(1, labels.unsqueeze(1))
    return -float(torch.log(chosen).mean())
