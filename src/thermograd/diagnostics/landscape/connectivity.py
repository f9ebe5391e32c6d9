"""Linear mode connectivity: is there a barrier on the straight line between two minima?

    barrier = max_α f((1 − α) θ_a + α θ_b) − ((1 − α) f(θ_a) + α f(θ_b))

References:
    Frankle, Dziugaite, Roy and Carbin (2020), arXiv:1912.05671.
"""

import numpy as np

from ..estimate import Estimate
from ..objective import Objective
from .interpolation import interpolate
from .points import Point

__all__ = ["linear_barrier"]


def linear_barrier(
    objective: Objective, start: Point, end: Point, *, num_points: int = 25
) -> Estimate[float]:
    """Return the barrier between two points, at least 0, with the standard error of the peak.

    Args:
        objective: model, loss and data.
        start: θ_a, a model or a vector.
        end: θ_b.
        num_points: values of α; the true peak may lie between two of them.
    """
    line = interpolate(objective, start, end, num_points=num_points)
    ends = (1 - line.alphas) * line.loss.value[0] + line.alphas * line.loss.value[-1]
    peak = int(np.argmax(line.loss.value - ends))
    return Estimate(line.barrier, float(line.loss.uncertainty[peak]), line.loss.n, "loss")
