"""The weights themselves: how large, how far from the start, how far off a constraint."""

from .constraint import constraint_residual
from .drift import drift, drift_by_tensor
from .histogram import WeightHistogram, weight_histogram
from .magnitude import largest_weights
from .orthogonality import orthogonality_defects

__all__ = [
    "WeightHistogram",
    "constraint_residual",
    "drift",
    "drift_by_tensor",
    "largest_weights",
    "orthogonality_defects",
    "weight_histogram",
]
