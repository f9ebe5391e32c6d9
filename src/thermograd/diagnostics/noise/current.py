"""Probability current of a diffusion in the plane, and the entropy it produces.

    dX = b dt + √(2T) dB
    J = b ρ − T ∇ρ                       current
    j = b − T ∇ ln ρ                     what of b is not balanced by diffusion, J = j ρ
    σ = (1/T) ∫ |J|²/ρ                   entropy production per unit of time, 0 in equilibrium
    Γ = ∫ (x J_y − y J_x)                average rotation, E[q₁ j₂ − q₂ j₁]

Derivatives are second-order central differences on the grid, so errors fall with the square of its
spacing. In a stationary state ∇·J = 0, whence j·∇Φ = T ∇·j for Φ = −T ln ρ: j need not be
orthogonal to ∇Φ unless its divergence vanishes.

References:
    Chaudhari (2018), doctoral thesis, UCLA, (6.11), (6.24) and Example 6.43.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..._checks import positive, require
from ..estimate import Array, Estimate

__all__ = ["Current", "probability_current"]

EMPTY = 1e-12  # of the highest density: below, ln ρ means nothing


@dataclass(frozen=True, slots=True, eq=False)
class Current:
    """A current on a grid.

    Attributes:
        x: of the columns, shape (X,).
        y: of the rows, shape (Y,).
        density: ρ, normalised on the grid, shape (Y, X).
        current: J, shape (2, Y, X).
        force: j, shape (2, Y, X); 0 where there is no density.
        entropy_production: σ; the uncertainty is the change when every second point is left out.
        rotation: Γ, likewise.
        divergence: root mean square of ∇·J over that of |J| per unit length, inside the grid; 0 in
            a stationary state, up to the error of the differences.
    """

    x: Array
    y: Array
    density: Array
    current: Array
    force: Array
    entropy_production: Estimate[float]
    rotation: Estimate[float]
    divergence: float


def probability_current(
    x: Array,
    y: Array,
    density: Array,
    drift: Callable[[Array], Array],
    *,
    temperature: float,
) -> Current:
    """Return the current of a density under a drift.

    Args:
        x: of the columns, equispaced, shape (X,).
        y: of the rows, equispaced, shape (Y,).
        density: ρ ≥ 0 on the grid, shape (Y, X), of any norm; smooth, for it is
            differentiated.
        drift: b, from points (n, 2) to vectors (n, 2).
        temperature: T > 0.
    """
    owner = "probability_current"
    positive(temperature, "temperature", owner)
    ok = density.shape == (len(y), len(x)) and min(density.shape) > 4
    ok = ok and bool(np.isfinite(density).all()) and float(density.min()) >= 0
    ok = ok and float(density.sum()) > 0
    require(ok, "density", owner, "of shape (Y, X), 5 or more each, 0 or above", density.shape)
    points = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    b = np.asarray(drift(points), np.float64)
    ok = b.shape == points.shape and bool(np.isfinite(b).all())
    require(ok, "drift", owner, f"finite, of shape {points.shape}", b.shape)
    field = b.reshape(len(y), len(x), 2).transpose(2, 0, 1)
    fine = _measure(x, y, density, field, temperature)
    coarse = _measure(x[::2], y[::2], density[::2, ::2], field[:, ::2, ::2], temperature)
    n = density.size
    sigma = Estimate(fine.sigma, abs(fine.sigma - coarse.sigma), n, "1/time")
    turning = Estimate(fine.turning, abs(fine.turning - coarse.turning), n, "length²/time")
    return Current(x, y, fine.rho, fine.flow, fine.force, sigma, turning, fine.divergence)


@dataclass(frozen=True, slots=True)
class _Measured:
    rho: Array
    flow: Array
    force: Array
    sigma: float
    turning: float
    divergence: float


def _measure(x: Array, y: Array, density: Array, field: Array, temperature: float) -> _Measured:
    dx, dy = float(x[1] - x[0]), float(y[1] - y[0])
    rho = density / (density.sum() * dx * dy)
    dense = rho > EMPTY * rho.max()
    log = np.log(np.where(dense, rho, 1.0))
    slope = np.stack([_along(log, dx, 1), _along(log, dy, 0)])
    is_inside = dense.copy()
    for axis in (0, 1):
        for step in (-1, 1):
            is_inside &= np.roll(dense, step, axis)
    force = np.where(is_inside, field - temperature * slope, 0.0)
    flow = force * rho
    size = (force**2).sum(axis=0) * rho
    sigma = float(size.sum()) * dx * dy / temperature
    turning = float((x * flow[1] - y[:, None] * flow[0]).sum()) * dx * dy
    spread = (_along(flow[0], dx, 1) + _along(flow[1], dy, 0))[2:-2, 2:-2]
    strength = float(np.sqrt((flow**2).sum(axis=0).mean()))
    extent = float(np.hypot(x[-1] - x[0], y[-1] - y[0]))
    off = float(np.sqrt((spread**2).mean())) * extent
    return _Measured(rho, flow, force, sigma, turning, off / strength if strength > 0 else 0.0)


def _along(values: Array, spacing: float, axis: int) -> Array:
    return np.gradient(values, spacing, axis=axis, edge_order=2)
