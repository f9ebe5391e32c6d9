"""Accuracy: share of examples whose most likely class is right."""

import math

from torch import Tensor

from ..estimate import Estimate
from ._labels import check

__all__ = ["accuracy"]


def accuracy(probabilities: Tensor, labels: Tensor) -> Estimate[float]:
    """Return the share of right classes, with the standard error √(a (1 − a)/N).

    Args:
        probabilities: of the classes, shape (N, C), rows that sum to 1.
        labels: class numbers, shape (N,).
    """
    check(probabilities, labels, "accuracy")
    n = len(labels)
    share = float((probabilities.argmax(1) == labels).double().mean())
    return Estimate(share, math.sqrt(share * (1 - share) / n), n, "1")
