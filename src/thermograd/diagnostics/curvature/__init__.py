"""Curvature of the mean loss: Hessian, Gauss-Newton and Fisher, without forming them."""

from .density import SpectralDensity, spectral_density
from .eigenpairs import Eigenpairs, extreme_eigenpairs
from .fisher import fisher_diagonal, fisher_operator, per_example_gradients
from .ggn import ggn_operator
from .harmonic_mean import harmonic_mean
from .hessian import hessian_matrix, hessian_operator
from .operator import SymmetricOperator
from .sharpness import sharpness
from .trace import trace
from .width import local_entropy, robust_width, sampled_local_entropy

__all__ = [
    "Eigenpairs",
    "SpectralDensity",
    "SymmetricOperator",
    "extreme_eigenpairs",
    "fisher_diagonal",
    "fisher_operator",
    "ggn_operator",
    "harmonic_mean",
    "hessian_matrix",
    "hessian_operator",
    "local_entropy",
    "per_example_gradients",
    "robust_width",
    "sampled_local_entropy",
    "sharpness",
    "spectral_density",
    "trace",
]
