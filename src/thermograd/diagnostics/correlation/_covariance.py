"""Autocovariances of long series in one pass and flat memory.

    c_k = (1/K) Σ_{t < K − k} (x_t − x̄)(x_{t+k} − x̄)

Blocks of draws are correlated with themselves and the L draws that follow, by a real FFT that is
long enough for both; the mean is taken out afterwards, by the sums over all draws but the first or
the last k. A first guess of the mean is subtracted on the way, which keeps the digits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from ..._checks import require
from ..._errors import NonFiniteError
from .._progress import Meter
from ..estimate import Array

MIN_BLOCK = 4096
TOGETHER = 16  # series in an FFT, which the cache holds


class Draws(Protocol):
    """Draws (W, K, ...) in memory or in a store: what numpy and zarr arrays have in common."""

    @property
    def shape(self) -> tuple[int, ...]:
        """W walkers, K draws, and the shape of one."""
        ...

    def __getitem__(self, key: Any, /) -> Any:
        """Return part of them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Covariance:
    """Autocovariances, averaged over walkers.

    Attributes:
        values: c_k, shape (L + 1, D).
        mean: over draws and walkers, shape (D,).
    """

    values: Array
    mean: Array


def bytes_of(num_lags: int) -> int:
    """Return what a series takes while its covariances are summed."""
    return 8 * (5 * _block_length(num_lags) + 5 * num_lags)


def covariance(draws: Draws, columns: NDArray[np.intp], num_lags: int) -> Covariance:
    """Return the autocovariances of some columns up to a lag, each walker about its own mean.

    Args:
        draws: (W, K, ...), the last axes flattened into columns.
        columns: which of them, in rising order.
        num_lags: L < K.
    """
    num_walkers, num, _ = checked(draws, "covariance")
    values = np.zeros((num_lags + 1, len(columns)))
    mean = np.zeros(len(columns))
    with Meter(f"autocovariance of {len(columns)} series", num_walkers * num) as meter:
        for walker in range(num_walkers):
            sums = _Sums(num, num_lags, len(columns))
            for start, block in _blocks(draws, walker, columns, num_lags):
                meter.tick(sums.add(start, block))
            values += sums.covariance() / num_walkers
            mean += sums.mean() / num_walkers
    return Covariance(values, mean)


class _Sums:
    """What one walker's covariances are made of."""

    def __init__(self, num: int, num_lags: int, width: int) -> None:
        self.num, self.lags = num, num_lags
        self.new = _block_length(num_lags)
        self.length = int(next_fast_len(self.new + num_lags, True))  # pyright: ignore[reportArgumentType]
        self.spectrum = np.zeros((width, self.length // 2 + 1), dtype=np.complex128)
        self.products = np.zeros((width, num_lags + 1))
        self.total, self.shift = np.zeros(width), np.zeros(width)
        self.head, self.tail = np.zeros((num_lags, width)), np.zeros((num_lags, width))

    def add(self, start: int, block: Array) -> int:
        """Add the draws from `start`, with up to L more behind them; return how many were new."""
        if not np.isfinite(block).all():
            raise NonFiniteError(f"the draws from {start} to {start + len(block)} hold NaN or inf")
        if start == 0:
            self.shift = block.mean(axis=0)
        y = block - self.shift
        new = len(block) if start + len(block) == self.num else len(block) - self.lags
        if new <= self.new and y.shape[0] <= self.length:
            for first in range(0, y.shape[1], TOGETHER):
                part = np.ascontiguousarray(y[:, first : first + TOGETHER].T)
                self.spectrum[first : first + TOGETHER] += self._cross(part, new, self.length)
        else:
            length = int(next_fast_len(len(y) + self.lags, True))  # pyright: ignore[reportArgumentType]
            found = np.fft.irfft(self._cross(y.T, new, length), length, axis=1)
            self.products += found[:, : self.lags + 1]
        self.total += y[:new].sum(axis=0)
        self._keep_ends(start, y[:new])
        return new

    def _cross(self, part: Array, new: int, length: int) -> NDArray[np.complex128]:
        """Return the spectrum of Σ_t y_t y_{t+k} over the new draws of some series, (D, n)."""
        ahead = np.fft.rfft(part, length, axis=1)
        own = ahead if new == part.shape[1] else np.fft.rfft(part[:, :new], length, axis=1)
        return np.conj(own) * ahead

    def mean(self) -> Array:
        """Return the mean of the series."""
        return self.total / self.num + self.shift

    def covariance(self) -> Array:
        """Return c_k about the mean, shape (L + 1, D)."""
        mean, zero = self.total / self.num, np.zeros((1, len(self.total)))
        without_first = self.total - np.concatenate([zero, np.cumsum(self.head, axis=0)])
        without_last = self.total - np.concatenate([zero, np.cumsum(self.tail[::-1], axis=0)])
        pairs = self.num - np.arange(self.lags + 1)[:, None]
        full = np.fft.irfft(self.spectrum, self.length, axis=1)[:, : self.lags + 1]
        products = (self.products + full).T
        centred = products - mean * (without_first + without_last) + pairs * mean**2
        return centred / self.num

    def _keep_ends(self, start: int, rows: Array) -> None:
        if start < self.lags:
            kept = rows[: self.lags - start]
            self.head[start : start + len(kept)] = kept
        from_end = self.num - self.lags
        if start + len(rows) > from_end:
            kept = rows[max(0, from_end - start) :]
            offset = max(0, start - from_end)
            self.tail[offset : offset + len(kept)] = kept


def _block_length(num_lags: int) -> int:
    return max(MIN_BLOCK, 4 * num_lags)


def _blocks(
    draws: Draws, walker: int, columns: NDArray[np.intp], num_lags: int
) -> Iterator[tuple[int, Array]]:
    """Yield starts and blocks of one walker; all but the last overlap the next one by L draws."""
    num, length = draws.shape[1], _block_length(num_lags)
    low, high = int(columns[0]), int(columns[-1]) + 1
    start = 0
    while start < num:
        stop = min(num, start + length)
        if num - stop <= num_lags:  # too few would be left to stand alone
            stop = num
        ahead = min(num, stop + num_lags)
        if len(draws.shape) == 3:
            rows = np.asarray(draws[walker, start:ahead, low:high])
        else:
            rows = np.asarray(draws[walker, start:ahead]).reshape(ahead - start, -1)[:, low:high]
        every = len(columns) == high - low
        yield start, (rows if every else rows[:, columns - low]).astype(np.float64)
        start = stop


def checked(draws: Draws, owner: str) -> tuple[int, int, int]:
    """Return W, K and D of draws (W, K, ...), after checking their form."""
    shape = list(draws.shape)
    ok = len(shape) > 1 and all(size > 0 for size in shape)
    require(
        ok, "draws", owner, "of shape (W, K, ...): walkers, draws, and what one is", tuple(shape)
    )
    return shape[0], shape[1], int(np.prod(shape[2:], dtype=int))
