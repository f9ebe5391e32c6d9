"""Histogram of weights, of one network or of many runs together.

density_b = n_b/(N width),   s.e. √(n_b (1 − n_b/N))/(N width)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..._checks import non_negative, positive_int, require
from ..estimate import Array, Estimate
from ._named import Weights, named

__all__ = ["WeightHistogram", "weight_histogram"]


@dataclass(frozen=True, slots=True, eq=False)
class WeightHistogram:
    """A distribution of weights.

    Attributes:
        edges: of the bins, one more than there are bins.
        density: in each bin; the uncertainty takes weights for independent.
        near_zero: share of weights with |w| up to the threshold.
        outside: how many weights lie beyond the edges.
    """

    edges: Array
    density: Estimate[Array]
    near_zero: Estimate[float]
    outside: int


def weight_histogram(
    runs: Sequence[Weights] | Weights,
    *,
    num_bins: int = 50,
    bounds: tuple[float, float] | None = None,
    threshold: float = 1e-3,
) -> WeightHistogram:
    """Return the histogram of all weights of one or more networks.

    Args:
        runs: models or tensors by name; one, or one for each run.
        num_bins: of equal width.
        bounds: lowest and highest edge; the range of the weights if not given.
        threshold: what counts as near zero.
    """
    owner = "weight_histogram"
    positive_int(num_bins, "num_bins", owner)
    non_negative(threshold, "threshold", owner)
    each = list(runs) if isinstance(runs, (list, tuple)) else [runs]
    parts = [t.reshape(-1).cpu() for run in each for t in named(run, owner).values()]  # pyright: ignore[reportArgumentType]
    values = torch.cat(parts).numpy()
    low, high = bounds if bounds is not None else (float(values.min()), float(values.max()))
    require(low <= high, "bounds", owner, "(low, high)", bounds)
    if low == high:
        low, high = low - 0.5, high + 0.5
    counts, edges = np.histogram(values, bins=num_bins, range=(low, high))
    n, width = len(values), (high - low) / num_bins
    error = np.sqrt(counts * (1 - counts / n)) / (n * width)
    near = float((np.abs(values) <= threshold).mean())
    share = Estimate(near, float(np.sqrt(near * (1 - near) / n)), n, "1")
    density = Estimate(counts / (n * width), error, n, "1/parameter")
    return WeightHistogram(edges, density, share, int(n - counts.sum()))
