"""Integrated autocorrelation time: draws for each independent one, with its standard error.

    τ = 1 + 2 Σ_{k=1}^{M} ρ_k,     s.e. τ √((4M + 2)/(W K))

The sum must end somewhere: at the first M ≥ 5 τ(M) (Sokal's window, emcee's), and at the last pair
ρ_2m + ρ_2m+1 > 0, with the pairs made monotone (Geyer's, meant for reversible chains). Both are
given, and whether they agree. Each walker is compared with its own mean, so walkers that have not
met look no slower than they are; R-hat sees those. Below 50 τ a walker, no number is given but a
bound; the reason is that a short chain takes its own drift for its mean.

References:
    Sokal (1997), doi:10.1007/978-1-4899-0319-8_6, section 3.
    Geyer (1992), doi:10.1214/ss/1177011137, section 3.3.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..._checks import positive_int
from ..estimate import Array, Estimate
from ._covariance import Draws, bytes_of, checked, covariance

__all__ = ["AutocorrelationTimes", "autocorrelation_times"]

WINDOW = 5.0
ENOUGH = 50.0  # times τ that a walker must have
FIRST_LAGS = 512
GROWTH = 8
ROUNDING = 1e-13  # of the square of the values, below which a variance is none


@dataclass(frozen=True, slots=True, eq=False)
class AutocorrelationTimes:
    """Integrated autocorrelation times of D series, in draws.

    Attributes:
        time: Sokal's window, shape (D,); NaN where no number can be given.
        geyer: Geyer's window, likewise.
        agree: whether the two differ by less than two standard errors, shape (D,).
        is_constant: whether a series does not move, so that τ is undefined, shape (D,).
        at_least: a lower bound of τ where `time` is NaN for want of draws, else NaN.
        shape: of one draw, in which the D series were listed.
    """

    time: Estimate[Array]
    geyer: Estimate[Array]
    agree: NDArray[np.bool_]
    is_constant: NDArray[np.bool_]
    at_least: Array
    shape: tuple[int, ...]

    def describe(self, index: int = 0) -> str:
        """Say in a line what is known of one series."""
        if self.is_constant[index]:
            return "undefined: the trajectory is constant"
        if not math.isnan(self.at_least[index]):
            return (
                f"at least {self.at_least[index]:.4g} draws: a walker has fewer than "
                f"{ENOUGH:.0f} autocorrelation times, too few for a number"
            )
        value, error = self.time.value[index], self.time.uncertainty[index]
        said = f"{value:.4g} ± {error:.2g} draws"
        other = f"Geyer's window says {self.geyer.value[index]:.4g}"
        return said if self.agree[index] else f"{said}; the windows do not agree, {other}"


def autocorrelation_times(draws: Draws, *, memory: int = 1 << 28) -> AutocorrelationTimes:
    """Return the integrated autocorrelation time of every entry of draws (W, K, ...).

    Args:
        draws: an array, or a zarr array on disk, which is read block by block; more than once
            only if some τ is long.
        memory: bytes that the blocks may take.
    """
    num_walkers, num, width = checked(draws, "autocorrelation_times")
    positive_int(memory, "memory", "autocorrelation_times")
    most = max(1, min(num - 1, math.ceil(num * WINDOW / ENOUGH) + 2)) if num > 1 else 0
    lags, left = min(FIRST_LAGS, most), np.arange(width)
    sokal, geyer = np.full((2, width), np.nan), np.full((2, width), np.nan)
    is_constant = np.zeros(width, dtype=bool)
    while len(left):
        groups = min(len(left), -(-len(left) * bytes_of(lags) // memory))
        open_: list[int] = []
        for columns in np.array_split(left, groups):
            found = covariance(draws, columns, lags)
            still = found.values[0] <= ROUNDING * (found.mean**2 + found.values[0])
            is_constant[columns[still]] = True
            for column, series in zip(columns[~still], found.values.T[~still], strict=True):
                one, two = sokal_window(series), geyer_window(series)
                if (one is None or two is None) and lags < most:
                    open_.append(int(column))
                    continue
                sokal[:, column] = one or (math.nan, math.nan)
                geyer[:, column] = two or (math.nan, math.nan)
        left, lags = np.array(open_, dtype=int), min(most, lags * GROWTH)
    return _record(sokal, geyer, is_constant, (num_walkers, num), tuple(draws.shape[2:]))


def sokal_window(series: Array) -> tuple[float, float] | None:
    """Return τ and its window M for autocovariances c_0, c_1, ...; None if they end before it."""
    tau = 2 * np.cumsum(series) / series[0] - 1
    enough = np.flatnonzero(np.arange(len(series)) >= WINDOW * tau)
    return (float(tau[enough[0]]), float(enough[0])) if len(enough) else None


def geyer_window(series: Array) -> tuple[float, float] | None:
    """Return τ and its window by Geyer's initial monotone sequence; None as above."""
    rho = series[: 2 * (len(series) // 2)] / series[0]
    pairs = rho[0::2] + rho[1::2]
    negative = np.flatnonzero(pairs <= 0)
    if not len(negative):
        return None
    stop = max(1, int(negative[0]))
    tau = 2 * float(np.minimum.accumulate(pairs[:stop]).sum()) - 1
    return tau, float(2 * stop - 1)


def _record(
    sokal: Array,
    geyer: Array,
    is_constant: NDArray[np.bool_],
    size: tuple[int, int],
    shape: tuple[int, ...],
) -> AutocorrelationTimes:
    num_walkers, num = size
    total = num_walkers * num
    is_known = num >= ENOUGH * np.maximum(sokal[0], 1)  # false for NaN
    at_least = np.where(is_known | is_constant, np.nan, num / ENOUGH)

    def estimate(found: Array) -> Estimate[Array]:
        value = np.where(is_known, found[0], np.nan)
        error = np.abs(value) * np.sqrt((4 * found[1] + 2) / total)
        return Estimate(value, error, total, "draws")

    one, two = estimate(sokal), estimate(geyer)
    agree = np.abs(one.value - two.value) <= 2 * np.maximum(one.uncertainty, two.uncertainty)
    return AutocorrelationTimes(one, two, agree, is_constant, at_least, shape)
