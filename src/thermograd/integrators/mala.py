"""MALA: overdamped Langevin with an acceptance test; exact on every target.

One step:

    q' = q − (h/m) ∇U(q) + √(2Th/m) ξ,   ξ ~ N(0, I)
    q ← q' with probability min(1, exp(−(U(q') − U(q))/T) · k(q | q')/k(q' | q))

where k(y | x) is the density of the proposal y from x. Costs one gradient a step: the one at the
proposal serves the next step. Needs the whole of U, no minibatch.

References:
    Roberts and Tweedie (1996), doi:10.2307/3318418.
"""

from dataclasses import dataclass, field

from torch import Tensor

from .._foreach import add_, dot
from ..claims import Claims
from ..state import Env, Params, Part, thermal_noise
from ._metropolis import Snapshot, accept, energy_of


@dataclass(frozen=True, slots=True)
class MALA:
    """The Metropolis-adjusted Langevin algorithm."""

    claims: Claims = field(
        default_factory=lambda: Claims(dynamics="overdamped", is_metropolised=True),
        compare=False,
    )
    has_momenta: bool = False
    auxiliaries: tuple[str, ...] = ()

    def init(self, part: Part, env: Env) -> None:
        """Do nothing: the first step evaluates the force."""

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one proposal and its acceptance test."""
        old = Snapshot.of(part, env, "mala")
        scale = part.force.scale
        add_(part.q, part.force.tensors, scale * h / part.mass)
        size, xi = thermal_noise(part, 2 * h / part.mass, part.q, env)
        add_(part.q, xi, size)
        env.evaluate(part)
        there = _distance(part.q, old.q, old.f, scale * h / part.mass)
        back = _distance(old.q, part.q, part.force.tensors, scale * h / part.mass)
        log_ratio = (old.energy - energy_of(part)) / part.temperature
        log_ratio = log_ratio + (there - back) * part.mass / (4 * part.temperature * h)
        accept(part, old, log_ratio, env)


def _distance(y: Params, x: Params, f: Params, step: float) -> Tensor:
    """Return |y − x − step f|² per walker."""
    gaps = [a - b - step * c for a, b, c in zip(y, x, f, strict=True)]
    return dot(gaps, gaps)


INTEGRATOR = MALA()
