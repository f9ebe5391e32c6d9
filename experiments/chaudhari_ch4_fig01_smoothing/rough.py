"""A rough function of one variable: ripples on a bowl, and a hole that is deep and narrow."""

from collections.abc import Callable

import torch
from torch import Tensor

from thermograd.objectives import gaussian_smoothed, hopf_cole, hopf_lax

__all__ = [
    "HOLE",
    "TEMPERATURE",
    "WIDE",
    "grid",
    "largest_curvature",
    "minima",
    "rough",
    "second",
    "slope",
    "smoothed",
]

HOLE, WIDE = 3.0, -0.8
TEMPERATURE = 0.7
_DEPTH, _WIDTH = 2.6, 0.1


def rough(x: Tensor) -> Tensor:
    """Return U: its minimum is in the hole at 3, the widest valley around −0.8."""
    bowl = 0.08 * (x - WIDE) ** 2
    ripples = 0.25 * torch.cos(3.7 * x) + 0.12 * torch.cos(9.1 * x + 0.4)
    return bowl + ripples - _DEPTH * torch.exp(-((x - HOLE) ** 2) / (2 * _WIDTH**2))


def grid(num: int) -> Tensor:
    """Return points from −9 to 9."""
    return torch.linspace(-9.0, 9.0, num, dtype=torch.float64)


def smoothed(x: Tensor) -> dict[str, Callable[[float], Tensor]]:
    """Return the three smoothings of U, by name, as functions of γ.

    HEAT takes the Gaussian of the local entropy, γT, so that the two look as far.
    """
    values = rough(x)
    return {
        "local_entropy": lambda g: hopf_cole(x, values, scope=g, temperature=TEMPERATURE),
        "heat": lambda g: gaussian_smoothed(x, values, scope=g * TEMPERATURE),
        "hj": lambda g: hopf_lax(x, values, scope=g)[0],
    }


def minima(x: Tensor, values: Tensor) -> Tensor:
    """Return the points of the grid that are lower than both neighbours, off its ends."""
    low = (values[1:-1] < values[:-2]) & (values[1:-1] <= values[2:])
    return x[1:-1][low & (x[1:-1].abs() < 6)]


def slope(x: Tensor, values: Tensor) -> Tensor:
    """Return central differences, one-sided at the ends."""
    return torch.gradient(values, spacing=(x,))[0]


def second(x: Tensor, values: Tensor, reach: float) -> Tensor:
    """Return second differences over ± reach, which a bound on curvature bounds as well."""
    k = max(1, round(reach / float(x[1] - x[0])))
    wide = (x[k] - x[0]) ** 2
    return (values[2 * k :] - 2 * values[k:-k] + values[: -2 * k]) / wide


def largest_curvature(reach: float = 1e-4) -> float:
    """Return C = max U'', from a fine grid around the hole and from the ripples' bound."""
    x = HOLE + torch.linspace(-1, 1, 20_001, dtype=torch.float64)
    return max(float(second(x, rough(x), reach).max()), 0.16 + 0.25 * 3.7**2 + 0.12 * 9.1**2)
