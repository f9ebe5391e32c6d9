"""Reliability diagram: accuracy against confidence, bin by bin.

The bins are (0, 1/B], (1/B, 2/B], …, 1 of the largest probability, as in the calibration error,
which is the gap between the two averaged over examples.

References:
    Guo, Pleiss, Sun and Weinberger (2017), arXiv:1706.04599, section 2.
"""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from ..._checks import positive_int
from ..estimate import Array, Estimate
from ._labels import check

__all__ = ["Reliability", "reliability"]


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """What a reliability diagram shows.

    Attributes:
        edges: of the bins, shape (B + 1,).
        counts: examples in each bin, shape (B,).
        confidence: mean in each bin; NaN where it is empty.
        accuracy: share of right classes in each bin; the uncertainty is √(a (1 − a)/n).
        calibration_error: Σ_b (n_b/N) |accuracy − confidence|. It is above 0 by chance even for a
            calibrated forecast, so its uncertainty is not given.
    """

    edges: Array
    counts: Array
    confidence: Array
    accuracy: Estimate[Array]
    calibration_error: Estimate[float]


def reliability(probabilities: Tensor, labels: Tensor, *, num_bins: int = 15) -> Reliability:
    """Return the reliability diagram of the most likely classes.

    Args:
        probabilities: of the classes, shape (N, C), rows that sum to 1.
        labels: class numbers, shape (N,).
        num_bins: B, bins of equal width.
    """
    check(probabilities, labels, "reliability")
    positive_int(num_bins, "num_bins", "reliability")
    top, chosen = (part.cpu().numpy() for part in probabilities.double().max(1))
    right = (chosen == labels.cpu().numpy()).astype(np.float64)
    bins = np.clip(np.ceil(top * num_bins).astype(int), 1, num_bins) - 1
    counts = np.bincount(bins, minlength=num_bins).astype(np.float64)
    with np.errstate(invalid="ignore"):
        confidence = np.bincount(bins, top, num_bins) / counts
        hits = np.bincount(bins, right, num_bins) / counts
        error = np.sqrt(hits * (1 - hits) / counts)
    n = len(labels)
    gap = float(np.nansum(counts * np.abs(hits - confidence)) / n)
    edges = np.linspace(0, 1, num_bins + 1)
    missed = Estimate(gap, float("nan"), n, "1")
    return Reliability(edges, counts, confidence, Estimate(hits, error, n, "1"), missed)
