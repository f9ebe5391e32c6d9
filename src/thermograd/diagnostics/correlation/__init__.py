"""How long a trajectory remembers: autocorrelation, its time, and what that leaves of the draws."""

from .autocorrelation import Autocorrelation, autocorrelation
from .directions import (
    CovarianceDirections,
    autocorrelation_times_along,
    covariance_directions,
)
from .ess import effective_sample_size
from .iat import AutocorrelationTimes, autocorrelation_times
from .spectrum import IncrementSpectrum, increment_spectrum

__all__ = [
    "Autocorrelation",
    "AutocorrelationTimes",
    "CovarianceDirections",
    "IncrementSpectrum",
    "autocorrelation",
    "autocorrelation_times",
    "autocorrelation_times_along",
    "covariance_directions",
    "effective_sample_size",
    "increment_spectrum",
]
