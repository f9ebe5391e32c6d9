"""Smoothed objectives of one variable on a grid, for functions that are rough.

    hopf_cole           u(x) = −T log E exp(−U(x + √(γT) ξ)/T)      u_t = −½ u_x² + (T/2) u_xx
    hopf_lax            u(x) = min_y U(y) + (x − y)²/(2γ)           u_t = −½ u_x²
    gaussian_smoothed   v(x) = E U(x + √γ ξ)                        v_t = ½ v_xx

in time γ from u = v = U, with ξ ~ N(0, 1): the local entropy, the Moreau envelope and what HEAT
descends on. Each is a trapezoidal sum, or a minimum, over the grid for every point of it. Outside
the grid there is nothing, and the Gaussian is normalised over what it can see: a few √(γT) or √γ
from the ends the values are not those of a function that goes on.

`local_entropy`, by quadrature, and `moreau_envelope`, by Newton's method, need smooth functions
and no grid.

References:
    Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y; Evans (2010), Partial Differential
    Equations, sections 3.3.2 and 4.4.1.
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from .._checks import positive, require

__all__ = ["gaussian_smoothed", "hopf_cole", "hopf_lax"]

_ROWS = 512


def hopf_cole(x: Tensor, values: Tensor, *, scope: float, temperature: float) -> Tensor:
    """Return the local entropy at the points of the grid.

    Args:
        x: points, ascending and evenly spaced, shape (n,).
        values: U there.
        scope: γ > 0.
        temperature: T > 0.
    """
    temperature = positive(temperature, "temperature", "hopf_cole")
    variance = positive(scope, "scope", "hopf_cole") * temperature
    found = torch.empty_like(values)
    for rows, weights in _gaussians(x, values, variance, "hopf_cole"):
        found[rows] = -temperature * torch.logsumexp(weights - values / temperature, 1)
    return found


def hopf_lax(x: Tensor, values: Tensor, *, scope: float) -> tuple[Tensor, Tensor]:
    """Return the Moreau envelope and the points y of the grid where its minima are.

    Args:
        x: points, ascending and evenly spaced, shape (n,).
        values: U there.
        scope: γ > 0.
    """
    gamma = positive(scope, "scope", "hopf_lax")
    _spacing(x, values, "hopf_lax")
    found, where = torch.empty_like(values), torch.empty_like(values)
    for rows in torch.arange(len(x), device=x.device).split(_ROWS):
        cost = values + (x[rows].unsqueeze(1) - x).square() / (2 * gamma)
        found[rows], index = cost.min(1)
        where[rows] = x[index]
    return found, where


def gaussian_smoothed(x: Tensor, values: Tensor, *, scope: float) -> Tensor:
    """Return U smoothed by a Gaussian of variance γ.

    Args:
        x: points, ascending and evenly spaced, shape (n,).
        values: U there.
        scope: γ > 0.
    """
    found = torch.empty_like(values)
    for rows, weights in _gaussians(
        x, values, positive(scope, "scope", "gaussian_smoothed"), "heat"
    ):
        found[rows] = weights.exp() @ values
    return found


def _gaussians(
    x: Tensor, values: Tensor, variance: float, owner: str
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield rows of the grid and the logarithms of a Gaussian's weights around each of them."""
    spacing = _spacing(x, values, owner)
    ok = math.sqrt(variance) >= spacing
    reason = f"so large that the Gaussian is as wide as the grid's spacing {spacing:.3g}"
    require(ok, "scope", owner, reason, variance)
    ends = torch.zeros_like(x)
    ends[0] = ends[-1] = math.log(0.5)  # trapezoidal rule
    for rows in torch.arange(len(x), device=x.device).split(_ROWS):
        weights = ends - (x[rows].unsqueeze(1) - x).square() / (2 * variance)
        yield rows, torch.log_softmax(weights, 1)


def _spacing(x: Tensor, values: Tensor, owner: str) -> float:
    """Return the distance of two points."""
    ok = x.dim() == 1 and len(x) > 2 and values.shape == x.shape
    require(ok, "values", owner, "one for each point of a grid (n,)", tuple(values.shape))
    gaps = x.diff()
    even = bool((gaps > 0).all()) and float(gaps.max() - gaps.min()) < 1e-4 * float(gaps.mean())
    require(even, "x", owner, "ascending and evenly spaced", (float(gaps.min()), float(gaps.max())))
    return float(gaps.mean())
