"""A part on the chain of the reference, with its noise on a tape."""

from dataclasses import dataclass

import torch
from torch import Tensor

from thermograd.integrators import Integrator, resolve
from thermograd.noise import NoiseSource, Tape, seeded
from thermograd.potentials import Potential
from thermograd.potentials.base import Evaluator
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Part
from thermograd.thermostat import Thermostat

from ..reference.chain import Chain

T, M, GAMMA, H = 0.7, 1.3, 0.9, 0.21
SIZES = (1, 2)  # columns of the two tensors of the chain
WALKERS, DRAWS = 3, 40


def normals(seed: int, walkers: int = WALKERS, count: int = DRAWS) -> Tensor:
    """Return draws, shape (count, W, 3)."""
    generator = seeded(seed + 400)
    return torch.randn((count, walkers, 3), generator=generator, dtype=torch.float64)


def uniforms(seed: int, walkers: int = WALKERS, count: int = DRAWS) -> Tensor:
    """Return draws, shape (count, W)."""
    return torch.rand((count, walkers), generator=seeded(seed + 500), dtype=torch.float64)


def positions(seed: int, walkers: int = WALKERS) -> Tensor:
    """Return positions, shape (W, 3)."""
    return torch.randn((walkers, 3), generator=seeded(seed + 600), dtype=torch.float64)


def tape(draws: Tensor, flat: Tensor, sizes: tuple[int, ...] = SIZES) -> Tape:
    """Write draws (count, W, 3) and uniforms (count, W) on a tape for tensors of these sizes."""
    entries = [[column.clone() for column in row.split(sizes, dim=1)] for row in draws]
    return Tape(entries, list(flat))


def assert_close(ours: Tensor, expected: Tensor, tolerance: float = 1e-12) -> None:
    """Compare to rounding, absolute and relative."""
    torch.testing.assert_close(ours, expected, rtol=tolerance, atol=tolerance)


@dataclass
class World:
    """An integrator, a part and what it asks for."""

    method: Integrator
    part: Part
    env: Env
    evaluator: Evaluator

    def run(self, *sizes: float) -> None:
        for h in sizes:
            self.method.step(self.part, h, self.env)

    def columns(self) -> tuple[Tensor, Tensor]:
        """Return q and p, each (W, d)."""
        return torch.cat(self.part.q, 1), torch.cat(self.part.p or self.part.q, 1)


def world(
    method: str | Integrator,
    noise: NoiseSource,
    q: Tensor,
    p: Tensor | None = None,
    *,
    sizes: tuple[int, ...] = SIZES,
    target: Potential | None = None,
    temperature: float = T,
    friction: float = GAMMA,
) -> World:
    """Build a part of tensors of these sizes from q and p, each (W, 3)."""
    integrator = resolve(method)
    evaluator = Evaluator(target if target is not None else Chain())
    part = make_part(
        integrator,
        list(q.split(sizes, dim=1)),
        friction=friction,
        temperature=temperature,
        mass=M,
        thermostat=Thermostat(0.4, 0.9, "scaled", 0.3),
    )
    if p is not None and part.p:
        for tensor, start in zip(part.p, p.split(sizes, dim=1), strict=True):
            tensor.copy_(start)
    env = Env(noise, evaluator)
    integrator.init(part, env)
    return World(integrator, part, env, evaluator)
