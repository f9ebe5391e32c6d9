"""Effective sample size: how many independent draws the draws are worth.

ESS = W K/τ
"""

import numpy as np

from ..estimate import Array, Estimate
from .iat import AutocorrelationTimes

__all__ = ["effective_sample_size"]


def effective_sample_size(times: AutocorrelationTimes) -> Estimate[Array]:
    """Return W K/τ for every series, NaN where τ is; its standard error follows from that of τ."""
    total, tau = times.time.n, times.time.value
    error = total * times.time.uncertainty / np.square(tau)
    return Estimate(total / tau, error, total, "draws")
