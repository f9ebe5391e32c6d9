"""Slopes in a log-log plot, from points that have errors."""

import math
from collections.abc import Sequence

__all__ = ["RESOLVED", "slope"]

RESOLVED = 5.0  # standard errors that a bias must be from 0 to count


def slope(
    step_sizes: Sequence[float], biases: Sequence[float], errors: Sequence[float]
) -> tuple[float, float]:
    """Return the slope of log |bias| against log h, and its standard error.

    Points are weighted by bias²/error², the inverse variance of the logarithm; those that are
    not resolved are left out. Fewer than two points have no slope: NaN.

    Args:
        step_sizes: h.
        biases: measured at each.
        errors: standard error of each.
    """
    points = [
        (math.log(h), math.log(abs(bias)), (bias / error) ** 2)
        for h, bias, error in zip(step_sizes, biases, errors, strict=True)
        if abs(bias) > RESOLVED * error
    ]
    if len(points) < 2:
        return math.nan, math.nan
    total = sum(weight for _, _, weight in points)
    x0 = sum(weight * x for x, _, weight in points) / total
    y0 = sum(weight * y for _, y, weight in points) / total
    spread = sum(weight * (x - x0) ** 2 for x, _, weight in points)
    found = sum(weight * (x - x0) * (y - y0) for x, y, weight in points) / spread
    return found, spread**-0.5
