"""Brier score: squared distance of the probabilities from what happened, a proper score.

    B = (1/N) Σ_n Σ_c (p_nc − [y_n = c])²        from 0 (sure and right) to 2 (sure and wrong)

References:
    Brier (1950), doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
"""

from torch import Tensor
from torch.nn.functional import one_hot

from ..estimate import Estimate
from ._labels import check

__all__ = ["brier_score"]


def brier_score(probabilities: Tensor, labels: Tensor) -> Estimate[float]:
    """Return the Brier score with its standard error over examples.

    Args:
        probabilities: of the classes, shape (N, C), rows that sum to 1.
        labels: class numbers, shape (N,).
    """
    check(probabilities, labels, "brier_score")
    target = one_hot(labels.long(), probabilities.shape[1]).double()
    scores = (probabilities.double() - target).square().sum(1)
    n = len(labels)
    error = float(scores.std()) / n**0.5 if n > 1 else float("nan")
    return Estimate(float(scores.mean()), error, n, "1")
