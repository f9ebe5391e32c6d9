"""Potentials: what a method samples or minimises."""

from .analytic import Analytic
from .banana import Banana
from .base import Batch, Evaluator, Minibatched, Potential, SplitPotential
from .correlated_gaussian import CorrelatedGaussian
from .double_well import DoubleWell
from .function import FunctionPotential, from_function
from .funnel import Funnel
from .gaussian_mixture import GaussianMixture
from .harmonic import Harmonic
from .network import Network
from .noisy import NoisyForce
from .nonequilibrium import NonEquilibrium
from .quartic import Quartic
from .spin_glass import SpinGlass
from .sum import Sum

__all__ = [
    "Analytic",
    "Banana",
    "Batch",
    "CorrelatedGaussian",
    "DoubleWell",
    "Evaluator",
    "FunctionPotential",
    "Funnel",
    "GaussianMixture",
    "Harmonic",
    "Minibatched",
    "Network",
    "NoisyForce",
    "NonEquilibrium",
    "Potential",
    "Quartic",
    "SpinGlass",
    "SplitPotential",
    "Sum",
    "from_function",
]
