"""Autocorrelation times along the directions in which a trajectory spreads most.

The directions are the leading eigenvectors of the covariance of the draws of all walkers; a long
trajectory is thinned for them, evenly, to what fits into memory.

References:
    Heber, Trstanova and Leimkuhler (2020), doi:10.1007/s40304-019-00202-4, Figure 11.
"""

from dataclasses import dataclass

import numpy as np

from ..._checks import is_int, require
from ..._errors import NonFiniteError
from ..estimate import Array, Estimate
from ._covariance import Draws, checked
from .iat import AutocorrelationTimes, autocorrelation_times

__all__ = ["CovarianceDirections", "autocorrelation_times_along", "covariance_directions"]

ROWS = 4000


@dataclass(frozen=True, slots=True, eq=False)
class CovarianceDirections:
    """Leading eigenvectors of the covariance of draws.

    Attributes:
        vectors: as rows, of length 1, shape (num, D).
        variances: along them, largest first; the uncertainty takes thinned draws for independent.
        mean: of the draws, shape (D,).
    """

    vectors: Array
    variances: Estimate[Array]
    mean: Array


def covariance_directions(
    draws: Draws, num: int = 20, *, memory: int = 1 << 28
) -> CovarianceDirections:
    """Return the leading directions of the covariance of draws (W, K, ...).

    Args:
        draws: an array or a zarr array.
        num: of directions; at most D, and below the draws used.
        memory: bytes that the draws used may take.
    """
    num_walkers, length, width = checked(draws, "covariance_directions")
    rows = max(2 * num_walkers, min(ROWS, memory // (24 * width)))
    every = max(1, -(-num_walkers * length // rows))
    thin = np.concatenate([np.asarray(draws[w, ::every]) for w in range(num_walkers)])
    flat = thin.reshape(len(thin), width).astype(np.float64)
    if not np.isfinite(flat).all():
        raise NonFiniteError("the draws hold NaN or infinity")
    most = min(width, len(flat) - 1)
    ok = is_int(num) and 0 < num <= most
    require(ok, "num", "covariance_directions", f"from 1 to {most}", num)
    mean = flat.mean(axis=0)
    _, sizes, vectors = np.linalg.svd(flat - mean, full_matrices=False)
    values = sizes[:num] ** 2 / (len(flat) - 1)
    error = values * (2 / (len(flat) - 1)) ** 0.5
    variances = Estimate(values, error, len(flat), "parameter²")
    return CovarianceDirections(vectors[:num], variances, mean)


def autocorrelation_times_along(
    draws: Draws, directions: Array, *, memory: int = 1 << 28
) -> AutocorrelationTimes:
    """Return the autocorrelation times of the draws' coordinates along given directions.

    Args:
        draws: (W, K, ...), an array or a zarr array.
        directions: as rows, shape (num, D).
        memory: bytes that a piece of the draws may take.
    """
    num_walkers, length, width = checked(draws, "autocorrelation_times_along")
    ok = directions.ndim == 2 and directions.shape[1] == width
    constraint = f"of shape (num, {width})"
    require(ok, "directions", "autocorrelation_times_along", constraint, directions.shape)
    size = max(1, memory // (16 * width))
    found = np.empty((num_walkers, length, len(directions)))
    for walker in range(num_walkers):
        for start in range(0, length, size):
            part = np.asarray(draws[walker, start : start + size])
            found[walker, start : start + size] = part.reshape(len(part), width) @ directions.T
    return autocorrelation_times(found, memory=memory)
