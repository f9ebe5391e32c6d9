"""Sharpness: the largest eigenvalue of the Hessian, λ_max(∇²f).

Gradient descent with a step above 2/λ_max leaves a quadratic minimum.
"""

import torch

from ..estimate import Estimate
from ..objective import Objective
from .eigenpairs import extreme_eigenpairs
from .hessian import hessian_operator

__all__ = ["sharpness"]


def sharpness(
    objective: Objective, *, generator: torch.Generator, tolerance: float = 1e-6
) -> Estimate[float]:
    """Return λ_max of the Hessian; its uncertainty is the residual of the eigenpair.

    Args:
        objective: the mean loss at a point.
        generator: draws the start vector.
        tolerance: relative accuracy at which the iteration stops.
    """
    operator = hessian_operator(objective)
    found = extreme_eigenpairs(operator, 1, generator=generator, tolerance=tolerance).values
    value, error = float(found.value[0]), float(found.uncertainty[0])
    return Estimate(value, error, found.n, found.unit)
