"""The exponential integral scaled by its own decay, g(z) = eᶻ E₁(z), element by element.

    z < 2    E₁(z) = −γ − ln z − Σ_{k≥1} (−z)ᵏ/(k·k!)
    z ≥ 2    g(z) = 1/(z + 1 − r),   r = 1²/(z + 3 − 2²/(z + 5 − 3²/(z + 7 − …)))

A fixed number of terms of each reaches float64's rounding, so the code has no branch on data.

References:
    Abramowitz and Stegun (1964), 5.1.11 and 5.1.22.
"""

import math

import torch
from torch import Tensor

_EULER_GAMMA = 0.57721566490153286061
_SWITCH = 2.0
_SERIES_TERMS = 26
_FRACTION_TERMS = 40


def scaled_e1(z: Tensor) -> tuple[Tensor, Tensor]:
    """Return ln g(z) and −g′(z)/g(z) = 1/(z g(z)) − 1 for z > 0."""
    is_small = z < _SWITCH
    small = torch.where(is_small, z, torch.full_like(z, 0.5))
    large = torch.where(is_small, torch.full_like(z, 2.0 * _SWITCH), z)
    e1 = _series(small)
    r = _fraction(large)
    log_g = torch.where(is_small, small + torch.log(e1), -torch.log(large + (1.0 - r)))
    # From the fraction, 1/(z g) − 1 = (1 − r)/z, which loses no digits where z g is close to 1.
    slope = torch.where(is_small, torch.exp(-small) / (small * e1) - 1.0, (1.0 - r) / large)
    return log_g, slope


def _series(z: Tensor) -> Tensor:
    coefficients = [-((-1.0) ** k) / (k * math.factorial(k)) for k in range(1, _SERIES_TERMS + 1)]
    total = torch.zeros_like(z)
    for coefficient in reversed(coefficients):
        total = (total + coefficient) * z
    return total - _EULER_GAMMA - torch.log(z)


def _fraction(z: Tensor) -> Tensor:
    tail = torch.zeros_like(z)
    for k in range(_FRACTION_TERMS, 0, -1):
        tail = k * k / (z + (2 * k + 1) - tail)
    return tail
