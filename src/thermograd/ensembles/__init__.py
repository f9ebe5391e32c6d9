"""Ensembles: walkers in one process that act on each other between steps."""

from .base import Ensemble, Moment
from .collapse import Collapse
from .covariance_control import CovarianceControl
from .cyclical import CyclicalPhases
from .parallel_tempering import ParallelTempering
from .quasi_newton import QuasiNewton
from .simulated_tempering import SimulatedTempering
from .start import descend

__all__ = [
    "Collapse",
    "CovarianceControl",
    "CyclicalPhases",
    "Ensemble",
    "Moment",
    "ParallelTempering",
    "QuasiNewton",
    "SimulatedTempering",
    "descend",
]
