"""Autocorrelation times of long series from a zarr store, against emcee's loop.

The rival is emcee's algorithm as it stands, series by series: a complex FFT over the next power of
two above twice the length, and the automatic window with c = 5. It gets its series in memory; ours
are read from disk.
"""

import math
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray
from scipy.signal import lfilter

from thermograd.diagnostics.correlation import autocorrelation_times

PHI = 0.9
CHUNK = 1000  # draws
RIVALS = 3  # series that the rival does in a round


def measure(
    rounds: int, folder: Path, num_draws: int = 1_000_000, width: int = 100
) -> dict[str, Any]:
    """Return seconds for all series, ours and the loop's, their ratio, and the memory ours took."""
    path = folder / "draws.zarr"
    _write(path, num_draws, width)
    store = zarr.open_array(path, mode="r")
    sample = np.asarray(store[0, :, :RIVALS]).astype(np.float64)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours, loop, grown = math.inf, math.inf, 0
    for number in range(rounds):
        began = time.perf_counter()
        found = autocorrelation_times(store)
        ours = min(ours, time.perf_counter() - began)
        if number == 0:
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        began = time.perf_counter()
        rival = [_emcee(series) for series in sample.T]
        loop = min(loop, (time.perf_counter() - began) / RIVALS)
    off = np.abs(found.time.value[:RIVALS] / np.array(rival) - 1).max()
    return {
        "num_draws": num_draws,
        "num_series": width,
        "store_megabytes": num_draws * width * 4 / 1e6,
        "memory_grown_megabytes": grown / 1e3,
        "ours_seconds": ours,
        "loop_seconds": loop * width,
        "ratio": loop * width / ours,
        "largest_relative_difference": float(off),
    }


def _write(path: Path, num_draws: int, width: int) -> None:
    """Write autoregressive series, (1, K, D)."""
    rng = np.random.default_rng(1)
    store = zarr.create_array(
        path,
        shape=(1, num_draws, width),
        chunks=(1, CHUNK, width),
        dtype="float32",
        compressors=None,
    )
    state = np.zeros((1, width))
    for start in range(0, num_draws, CHUNK):
        noise = rng.standard_normal((CHUNK, width))
        rows, state = lfilter([1.0], [1.0, -PHI], noise, axis=0, zi=state)
        store[0, start : start + CHUNK] = rows


def _emcee(x: NDArray[np.float64]) -> float:
    size = 1 << int(np.ceil(np.log2(2 * len(x))))
    f = np.fft.fft(x - x.mean(), n=size)
    acf = np.fft.ifft(f * np.conjugate(f))[: len(x)].real
    taus = 2 * np.cumsum(acf / acf[0]) - 1
    window = np.arange(len(taus)) < 5 * taus
    return float(taus[np.argmin(window)] if np.any(window) else taus[-1])
