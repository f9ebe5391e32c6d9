"""The noise of gradients, and the currents of dynamics out of equilibrium."""

from .covariance import GradientNoise, gradient_noise
from .current import Current, probability_current
from .diversity import GradientDiversity, gradient_diversity

__all__ = [
    "Current",
    "GradientDiversity",
    "GradientNoise",
    "gradient_diversity",
    "gradient_noise",
    "probability_current",
]
