"""Spectrum of the increments of the weights: flat for a random walk with white increments.

    P_f = |Σ_t (x_{t+1} − x_t) e^{−2πi f t}|²/Σ_t (x_{t+1} − x_t − mean)²,   f > 0

Of white increments P_f is exponential of mean 1, so 99% of the frequencies of one series lie
between −ln 0.995 and −ln 0.005. Series are averaged over walkers and weights; where these are
independent, the mean scatters by 1/√(W D) about 1.

References:
    Chaudhari (2018), doctoral thesis, UCLA, Figure 6.3.
"""

import math
from dataclasses import dataclass

import numpy as np

from ..._checks import require
from ..._errors import NonFiniteError
from .._progress import track
from ..estimate import Array, Estimate
from ._covariance import Draws, checked

__all__ = ["IncrementSpectrum", "increment_spectrum"]


@dataclass(frozen=True, slots=True, eq=False)
class IncrementSpectrum:
    """Power of increments by frequency, relative to white noise.

    Attributes:
        frequencies: f, per draw, above 0 and up to ½.
        power: mean over the series; the uncertainty is the standard error, series taken as
            independent.
        sd: over the series.
        band: where 99% of a white series lies.
        num_constant: series left out because they do not move.
    """

    frequencies: Array
    power: Estimate[Array]
    sd: Array
    band: tuple[float, float]
    num_constant: int


def increment_spectrum(draws: Draws, *, memory: int = 1 << 28) -> IncrementSpectrum:
    """Return the spectrum of the increments of draws (W, K, ...), at least 4 of them.

    Args:
        draws: an array or a zarr array.
        memory: bytes that the series of a piece may take.
    """
    num_walkers, num, width = checked(draws, "increment_spectrum")
    require(num > 3, "draws", "increment_spectrum", "4 draws or more", num)
    size = max(1, memory // (40 * num))
    half = (num - 1) // 2
    first, second, kept = np.zeros(half), np.zeros(half), 0
    inner = draws.shape[2:]
    jobs = [(w, start) for w in range(num_walkers) for start in range(0, width, size)]
    for walker, start in track(jobs, "spectrum of the increments"):
        rows = np.asarray(draws[walker]).reshape(num, int(np.prod(inner, dtype=int)))
        steps = np.diff(rows[:, start : start + size].astype(np.float64), axis=0)
        if not np.isfinite(steps).all():
            raise NonFiniteError("the draws hold NaN or infinity")
        steps -= steps.mean(axis=0)
        total = (steps**2).sum(axis=0)
        moves = total > 0
        found = np.abs(np.fft.rfft(steps[:, moves], axis=0)[1 : half + 1]) ** 2 / total[moves]
        first += found.sum(axis=1)
        second += (found**2).sum(axis=1)
        kept += int(moves.sum())
    if kept == 0:
        raise NonFiniteError("every trajectory is constant: its increments have no spectrum")
    mean = first / kept
    sd = np.sqrt(np.maximum(second / kept - mean**2, 0))
    power = Estimate(mean, sd / math.sqrt(kept), kept, "1")
    band = (-math.log(0.995), -math.log(0.005))
    left_out = num_walkers * width - kept
    return IncrementSpectrum(np.arange(1, half + 1) / (num - 1), power, sd, band, left_out)
