"""Autocorrelation of the weights over time, with the band that white noise stays in.

    ρ_k = c_k/c_0,     band ±z/√K with P(|ξ| > z) = 1%

The uncertainty is Bartlett's standard error, √((1 + 2 Σ_{j<k} ρ_j²)/K), of each series.

References:
    Bartlett (1946), doi:10.2307/2983611.
    Chaudhari (2018), doctoral thesis, UCLA, Figure 6.3 (mean and spread over the weights).
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ..._checks import is_int, positive_int, require
from ..._errors import NonFiniteError
from ..estimate import Array, Estimate
from ._covariance import Draws, bytes_of, checked, covariance

__all__ = ["Autocorrelation", "autocorrelation"]

OWNER = "autocorrelation"
BAND = 0.99


@dataclass(frozen=True, slots=True, eq=False)
class Autocorrelation:
    """Correlation of series with themselves some draws later.

    Attributes:
        lags: k, from 0.
        values: ρ_k of every series, shape (L + 1, D); n is the number of draws.
        mean: over the series that move, shape (L + 1,).
        sd: over them.
        band: half the width of the 99% band of white noise.
        num_constant: series that do not move and are left out of mean and sd.
    """

    lags: Array
    values: Estimate[Array]
    mean: Array
    sd: Array
    band: float
    num_constant: int


def autocorrelation(draws: Draws, *, num_lags: int = 100, memory: int = 1 << 28) -> Autocorrelation:
    """Return the autocorrelations of every entry of draws (W, K, ...), averaged over walkers.

    Args:
        draws: an array or a zarr array.
        num_lags: L, below K.
        memory: bytes that the blocks may take.
    """
    num_walkers, num, width = checked(draws, OWNER)
    ok = is_int(num_lags) and 0 < num_lags < num
    require(ok, "num_lags", OWNER, f"from 1 to {num - 1}, below the draws", num_lags)
    groups = min(width, -(-width * bytes_of(num_lags) // positive_int(memory, "memory", OWNER)))
    parts = np.array_split(np.arange(width), groups)
    found = np.concatenate([covariance(draws, part, num_lags).values for part in parts], axis=1)
    moves = found[0] > 0
    if not moves.any():
        raise NonFiniteError("every trajectory is constant: an autocorrelation is undefined")
    rho = np.full_like(found, np.nan)
    rho[:, moves] = found[:, moves] / found[0, moves]
    total = num_walkers * num
    before = np.concatenate([np.zeros((2, width)), np.cumsum(rho[1:-1] ** 2, axis=0)])
    error = np.sqrt((1 + 2 * before[: num_lags + 1]) / total)
    error[0] = 0.0
    band = NormalDist().inv_cdf((1 + BAND) / 2) / math.sqrt(total)
    kept = rho[:, moves]
    return Autocorrelation(
        np.arange(num_lags + 1.0),
        Estimate(rho, error, total, "1"),
        kept.mean(axis=1),
        kept.std(axis=1),
        band,
        int((~moves).sum()),
    )
