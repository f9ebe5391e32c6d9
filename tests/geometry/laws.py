"""Potentials, averages and closed forms, for the tests of laws on manifolds."""

import torch
from scipy.special import iv
from torch import Tensor

from thermograd.geometry import Circle, Manifold, Sphere, positions
from thermograd.noise import Gaussian, seeded
from thermograd.sampling.engine import simulate
from thermograd.state import Params, Part

from .cases import T

STIFFNESS, PULL = 2.3, 0.9


class Bowl:
    """U = ½ k Σ q²."""

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        out[0].copy_(-STIFFNESS * q[0])
        return STIFFNESS / 2 * q[0].square().flatten(1).sum(1)


class Tilt:
    """U = −c q₁, of the first number of a walker."""

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        out[0].zero_()
        out[0].flatten(1)[:, 0] = PULL
        return -PULL * q[0].flatten(1)[:, 0]


class Free:
    """U = 0."""

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        out[0].zero_()
        return q[0].new_zeros(q[0].shape[0])


def start(geometry: Manifold, shape: tuple[int, ...], seed: int, walkers: int) -> Params:
    q = [torch.randn(walkers, *shape, generator=seeded(seed + 20), dtype=torch.float64)]
    geometry.settle(q)
    if isinstance(geometry, Circle) or (isinstance(geometry, Sphere) and geometry.slack):
        q[0].mul_(0.9)
    return q


def averages(
    target: Bowl | Tilt | Free,
    geometry: Manifold,
    shape: tuple[int, ...],
    word: str,
    h: float,
    seed: int,
    *,
    steps: int,
    walkers: int = 2048,
    **moments: object,
) -> dict[str, Tensor]:
    def observe(part: Part) -> dict[str, Tensor]:
        q = positions(geometry, part.q)[0]
        found = {name: function(q) for name, function in moments.items()}  # pyright: ignore
        if part.p:
            kinetic = torch.stack([p.square().flatten(1).sum(1) for p in part.p]).sum(0)
            found["kinetic"] = kinetic / geometry.degrees_of_freedom(part, walkers)
        return found

    result = simulate(
        target,
        word,
        start(geometry, shape, seed, walkers),
        steps=steps,
        step_size=h,
        noise=Gaussian(seeded(seed + 30)),
        friction=1.4,
        temperature=T,
        geometry=geometry,
        burn_in=steps // 2,
        observe=observe,
    )
    return result.mean


def mean_square(q: Tensor) -> Tensor:
    return q.square().flatten(1).mean(1)


def first(q: Tensor) -> Tensor:
    return q.flatten(1)[:, 0]


def sphere_mean(d: int, r: float) -> float:
    """⟨q₁⟩ on the sphere in d dimensions, in the potential −c q₁: that of von Mises and Fisher."""
    kappa = PULL * r / T
    return r * iv(d / 2, kappa) / iv(d / 2 - 1, kappa)


def circle_mean_square(r: float) -> float:
    """⟨θ²⟩ for exp(−kθ²/2T) beside the arcsine density."""
    z = STIFFNESS * r**2 / (4 * T)
    return r**2 / 2 * (1 - iv(1, z) / iv(0, z))
