"""Covariance of the gradients of single examples: the noise that minibatches bring.

    D = (1/N) Σ_n g_n g_nᵀ − ḡ ḡᵀ

A batch of b examples drawn with replacement has gradient covariance D/b; without replacement,
(D/b) (1 − b/N) N/(N − 1), whose last factor follows from the exact D without replacement (the
source's coefficient of ḡḡᵀ there is misprinted). D has at most N − 1 eigenvalues that are not 0,
which are those of the N × N Gram matrix of the centred gradients; the smaller of the two matrices
is formed. The rank counts eigenvalues above λ_max d times the rounding of the parameters'
precision.

References:
    Chaudhari (2018), doctoral thesis, UCLA, (6.4), (6.45) and section 6.6.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..._checks import positive, positive_int, require
from ..._errors import OutOfMemoryError
from .._progress import track
from ..curvature import per_example_gradients
from ..estimate import Array, Estimate
from ..objective import Objective

__all__ = ["GradientNoise", "gradient_noise"]

UNIT = "loss²/parameter²"


@dataclass(frozen=True, slots=True, eq=False)
class GradientNoise:
    """Spectrum of D.

    Attributes:
        eigenvalues: the min(N, d) largest, largest first; the uncertainty bounds their rounding.
        trace: of D; the uncertainty is the standard error over examples.
        rank: eigenvalues above the threshold.
        num_params: d.
        threshold: λ_max d ε.
    """

    eigenvalues: Estimate[Array]
    trace: Estimate[float]
    rank: int
    num_params: int
    threshold: float

    @property
    def rank_share(self) -> float:
        """Rank over d."""
        return self.rank / self.num_params

    @property
    def variance(self) -> float:
        """Variance of all d eigenvalues, the zeros included."""
        mean = self.trace.value / self.num_params
        return float((self.eigenvalues.value**2).sum()) / self.num_params - mean**2

    def noise_level(self, learning_rate: float, batch_size: int) -> Estimate[float]:
        """Return (η/b) (1/d) Σ λ, which should be kept when η, b or the network are changed."""
        positive(learning_rate, "learning_rate", "noise_level")
        positive_int(batch_size, "batch_size", "noise_level")
        factor = learning_rate / (batch_size * self.num_params)
        trace = self.trace
        return Estimate(factor * trace.value, factor * trace.uncertainty, trace.n, "loss²/step")


def gradient_noise(objective: Objective) -> GradientNoise:
    """Return the spectrum of D at the objective's point.

    It holds min(N, d) squared numbers of 8 bytes, and all gradients if N < d.
    """
    n, d = objective.num_data, objective.num_params
    require(n > 1, "data", "gradient_noise", "2 examples or more", n)
    small = min(n, d)
    needed = 16 * small * small + (8 * n * d if n < d else 0)
    if needed > objective.memory:
        raise OutOfMemoryError(
            f"the noise of {n:,} gradients of {d:,} parameters takes {needed:,} bytes, and the "
            f"memory allowed is {objective.memory:,}; allow more, or take fewer examples"
        )
    total, weighted = torch.zeros(2, d, dtype=torch.float64)
    squares: list[Tensor] = []
    kept: list[Tensor] = []
    second = torch.zeros((d, d) if d <= n else (0, 0), dtype=torch.float64)
    extra = 3 * d * objective.point.element_size()
    for x, y in track(list(objective.pieces(2.0, extra)), "gradient noise"):
        rows = per_example_gradients(objective, x, y).double().cpu()
        total += rows.sum(0)
        squares.append(rows.square().sum(1))
        weighted += squares[-1] @ rows
        if d <= n:
            second += rows.T @ rows
        else:
            kept.append(rows)
    mean = total / n
    if d <= n:
        matrix = second / n - torch.outer(mean, mean)
        along = float(mean @ matrix @ mean)
    else:
        centred = torch.cat(kept) - mean
        matrix = centred @ centred.T / n
        along = float((centred @ mean).square().mean())
    values = torch.linalg.eigvalsh(matrix).flip(0).clamp_min(0)
    size = torch.cat(squares)
    both = float(weighted @ mean) / n - float(size.mean() * mean.square().sum())
    # tr D is the average of |g_n − ḡ|² = |g_n|² − 2 ḡ·g_n + |ḡ|²
    spread = float(size.var(unbiased=False)) - 4 * both + 4 * along
    trace = float(size.mean() - mean.square().sum())
    error = (max(spread, 0.0) / (n - 1)) ** 0.5
    return _record(objective, values, Estimate(max(trace, 0.0), error, n, UNIT))


def _record(objective: Objective, values: Tensor, trace: Estimate[float]) -> GradientNoise:
    n, d = objective.num_data, objective.num_params
    top = float(values[0])
    threshold = top * d * torch.finfo(objective.point.dtype).eps
    found = values.numpy()
    rounding = np.full_like(found, top * len(found) * np.finfo(np.float64).eps)
    return GradientNoise(
        Estimate(found, rounding, n, UNIT),
        trace,
        int((values > threshold).sum()),
        d,
        threshold,
    )
