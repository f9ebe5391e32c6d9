"""How long the draws of a run remember: a row for each number and leading direction.

The time is Sokal's, with its standard error, or a bound where a walker has fewer than 50 of them;
R-hat and the error of the mean are those of the summary.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..diagnostics.correlation import autocorrelation_times, covariance_directions
from ..diagnostics.estimate import Array
from ..sampling.summary import split_rhat, summarise
from .record import RunRecord

__all__ = ["CorrelationRow", "correlation_table"]

DIRECTIONS = 3
ROWS = 256
ENTRIES = 4  # of the positions, where they are few


@dataclass(frozen=True, slots=True)
class CorrelationRow:
    """What is known of one series.

    Attributes:
        name: of the series.
        mean: over draws and walkers.
        error: standard error of the mean; NaN if it is not known.
        time: integrated autocorrelation time in draws; NaN if no number can be given.
        time_error: its standard error.
        at_least: a lower bound of the time, where that is all there is; else NaN.
        effective: independent draws that the draws are worth; NaN as the time.
        r_hat: between and within walkers.
        says: the time in words.
    """

    name: str
    mean: float
    error: float
    time: float
    time_error: float
    at_least: float
    effective: float
    r_hat: float
    says: str


def correlation_table(record: RunRecord) -> list[CorrelationRow]:
    """Return a row for every number a run recorded, and for where its positions spread most."""
    rows: list[CorrelationRow] = []
    for name, draws in _series(record):
        good = draws[np.isfinite(draws).all(axis=1)]
        if len(good):
            rows.append(_row(name, good))
    return rows


def _series(record: RunRecord) -> Iterator[tuple[str, Array]]:
    """Yield series (W, K) by name."""
    for name, array in record.sample_stats.items():
        if array.ndim == 2:
            yield name, array[record.chains].astype(np.float64)
    positions = record.positions
    flat = np.concatenate(list(positions.values()), axis=2) if positions else np.zeros((0, 0, 0))
    good = flat[np.isfinite(flat).all(axis=(1, 2))]
    if flat.shape[2] <= ENTRIES:
        for name, array in positions.items():
            for entry in range(array.shape[2]):
                yield f"{name}[{entry}]", array[:, :, entry].astype(np.float64)
    elif len(good) and good.shape[1] > 1:
        most = min(DIRECTIONS, good.shape[2], len(good) * good.shape[1] - 1)
        directions = covariance_directions(good, most).vectors
        found = np.stack([_projected(walker, directions) for walker in good])
        for number in range(most):
            yield f"direction {number + 1} of the spread", found[:, :, number]


def _projected(draws: NDArray[np.generic], directions: Array) -> Array:
    """Return the coordinates (K, i) of draws (K, D), a block of them at a time in float64."""
    blocks = np.array_split(draws, -(-len(draws) // ROWS))
    return np.concatenate([block.astype(np.float64) @ directions.T for block in blocks])


def _row(name: str, draws: Array) -> CorrelationRow:
    times = autocorrelation_times(draws)
    line = summarise({name: draws}, {}, math.nan).lines[0]
    time, error = float(times.time.value[0]), float(times.time.uncertainty[0])
    return CorrelationRow(
        name,
        line.mean,
        line.mcse if math.isfinite(time) else math.nan,
        time,
        error,
        float(times.at_least[0]),
        draws.size / time,
        math.nan if times.is_constant[0] else split_rhat(draws),
        times.describe(0),
    )
