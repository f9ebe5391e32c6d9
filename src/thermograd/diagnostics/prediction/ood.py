"""AUROC: how well a score tells data of one kind from data of another.

    A = P(score of an outsider > score of an insider) + ½ P(equal)

It is ½ for a score that says nothing. The standard error is DeLong's, from the share of insiders
below each outsider and of outsiders above each insider. For a classifier, a usual score is the
entropy of the posterior predictive probabilities, or minus the largest of them.

References:
    DeLong, DeLong and Clarke-Pearson (1988), doi:10.2307/2531595.
    Hendrycks and Gimpel (2017), arXiv:1610.02136.
"""

import math

import torch
from torch import Tensor

from ..._checks import require
from ..._errors import NonFiniteError
from ..estimate import Estimate

__all__ = ["auroc"]


def auroc(inside: Tensor, outside: Tensor) -> Estimate[float]:
    """Return the area under the ROC curve of a score that should be higher outside.

    Args:
        inside: scores of data like those trained on, shape (M,), M ≥ 2.
        outside: scores of other data, shape (N,), N ≥ 2.
    """
    for name, scores in (("inside", inside), ("outside", outside)):
        ok = scores.dim() == 1 and len(scores) > 1
        require(ok, name, "auroc", "of one axis, 2 scores or more", tuple(scores.shape))
        if bool(torch.isnan(scores).any()):
            raise NonFiniteError(f"the scores {name} hold NaN")
    a, b = inside.double().contiguous(), outside.double().contiguous()
    above, below = _placed(b, a), 1 - _placed(a, b)
    value = float(above.mean())
    variance = float(above.var()) / len(b) + float(below.var()) / len(a)
    return Estimate(value, math.sqrt(variance), len(a) + len(b), "1")


def _placed(scores: Tensor, others: Tensor) -> Tensor:
    """Return for each score the share of others below it, ties counting half."""
    ordered = others.sort().values
    low = torch.searchsorted(ordered, scores)
    high = torch.searchsorted(ordered, scores, right=True)
    return (low + high).double() / (2 * len(others))
