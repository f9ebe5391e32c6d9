"""Expected calibration error: how far confidence is from accuracy, over bins of confidence.

    ECE = Σ_b (n_b/N) |accuracy in b − mean confidence in b|

The confidence of an example is its largest probability; the bins are (0, 1/B], (1/B, 2/B], …, 1.

References:
    Guo, Pleiss, Sun and Weinberger (2017), arXiv:1706.04599, equation (3).
"""

import torch
from torch import Tensor

from ..._checks import positive_int
from ._labels import check

__all__ = ["expected_calibration_error"]


def expected_calibration_error(
    probabilities: Tensor, labels: Tensor, *, num_bins: int = 15
) -> float:
    """Return the ECE of the most likely classes, between 0 and 1.

    Args:
        probabilities: of the classes, shape (N, C), rows that sum to 1.
        labels: class numbers, shape (N,).
        num_bins: B, bins of equal width; the source takes 15.

    >>> probabilities = torch.tensor([[0.9, 0.1], [0.2, 0.8]])
    >>> round(expected_calibration_error(probabilities, torch.tensor([0, 0])), 6)
    0.45
    """
    check(probabilities, labels, "expected_calibration_error")
    positive_int(num_bins, "num_bins", "expected_calibration_error")
    confidence, chosen = probabilities.double().max(1)
    gap = (chosen == labels).double() - confidence
    bins = (confidence * num_bins).ceil().long().clamp(1, num_bins) - 1
    sums = torch.zeros(num_bins, dtype=torch.float64, device=gap.device).index_add_(0, bins, gap)
    return float(sums.abs().sum()) / len(labels)
