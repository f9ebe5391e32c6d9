"""Parts on manifolds, for the tests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from thermograd._registry import GEOMETRIES
from thermograd.geometry import Example, Manifold, begin
from thermograd.integrators import resolve
from thermograd.noise import Gaussian, seeded
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Params, Part

T, M, GAMMA = 0.7, 1.3, 0.9
NAMES = GEOMETRIES.names()


def example(name: str) -> Example:
    return cast(Example, GEOMETRIES.get(name))


def points(found: Example, seed: int, walkers: int, dtype: torch.dtype = torch.float64) -> Params:
    """Return allowed positions."""
    generator = seeded(seed + 700)
    shapes = [(walkers, *shape) for shape in found.shapes]
    q = [0.4 * torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]
    found.geometry.check(q, "the start")
    found.geometry.settle(q)
    return q


def part_on(
    geometry: Manifold, q: Params, word: str = "BAOAB", seed: int = 0, temperature: float = T
) -> Part:
    """Return a part at `q` with tangent momenta at the temperature."""
    part = make_part(
        resolve(word),
        begin(geometry, q),
        friction=GAMMA,
        temperature=temperature,
        mass=M,
        geometry=geometry,
    )
    generator = seeded(seed + 800)
    for p in part.p:
        p.copy_(torch.randn(p.shape, generator=generator, dtype=p.dtype))
        p.mul_((M * T) ** 0.5)
    if part.p:
        geometry.project_tangent(part)
    return part


@dataclass
class Tilt:
    """A force that pulls every coordinate, by different amounts, and counts as U = −f·q."""

    strength: float = 0.6

    def __call__(self, part: Part, component: str | None = None) -> None:
        for number, f in enumerate(part.force.tensors):
            f.fill_(self.strength * (1 + number))
        part.force.is_fresh = True


def env(seed: int) -> Env:
    return Env(Gaussian(seeded(seed + 900)), Tilt())


def tangency(part: Part) -> float:
    """Return the part of the momenta that sticks out of the tangent space."""
    before = [p.clone() for p in part.p]
    part.geometry.project_tangent(part)
    gaps = [float((a - b).abs().max()) for a, b in zip(before, part.p, strict=True)]
    for p, old in zip(part.p, before, strict=True):
        p.copy_(old)
    return max(gaps)


def run(part: Part, word: str, steps: int, h: float, seed: int) -> None:
    method, world = resolve(word), env(seed)
    for _ in range(steps):
        method.step(part, h, world)


def flat_of(tensors: Params) -> Tensor:
    return torch.cat([tensor.flatten(1) for tensor in tensors], 1)


Build = Callable[[], Manifold]
