"""Potential, temperatures and other numbers over the steps of a run, thinned for the eye."""

from collections.abc import Sequence

import numpy as np

from ..diagnostics.estimate import Array
from ..plots.records import Trace
from .record import RunRecord

__all__ = ["traces"]

MOST_POINTS = 300


def traces(record: RunRecord, names: Sequence[str] | None = None) -> list[Trace]:
    """Return the numbers that a run recorded about itself, one for each walker and draw.

    Args:
        record: the run.
        names: which of them; all if not given.
    """
    found: list[Trace] = []
    for name, array in record.sample_stats.items():
        if array.ndim != 2 or (names is not None and name not in names):
            continue
        values = array[record.chains].astype(np.float64)
        values = values[np.isfinite(values).all(axis=1)]
        if len(values):
            found.append(_trace(name, values, record.steps_of_draws()))
    return found


def _trace(name: str, values: Array, steps: np.ndarray) -> Trace:
    num = min(values.shape[1], len(steps))
    blocks = np.array_split(np.arange(num), min(num, MOST_POINTS))
    means = np.stack([values[:, block].mean(axis=1) for block in blocks])  # (B, W)
    ends = np.array([steps[block[-1]] for block in blocks], dtype=np.float64)
    return Trace(name, ends, means.mean(axis=1), means.min(axis=1), means.max(axis=1))
