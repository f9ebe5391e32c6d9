"""A method between two halves of a friction that is known for every coordinate.

p ← exp(−h² Σ/(4 m T)) p,   a step of the method,   the same again
"""

from dataclasses import dataclass

from torch import Tensor

from ..integrators import Around
from ..state import Env, Part
from ._preconditioned import unflatten

__all__ = ["Damped"]


@dataclass(frozen=True, slots=True)
class Damped(Around):
    """A method with momenta, and the friction that balances noise of variance Σ in its force."""

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one step of size `h`."""
        _damp(part, 0.5 * h * h)
        self.method.step(part, h, env)
        _damp(part, 0.5 * h * h)


def _damp(part: Part, share: float) -> None:
    heat = part.temperature
    below = 2 * part.mass * (heat.unsqueeze(1) if isinstance(heat, Tensor) else heat)
    decay = (part.coupling["noise_variance"] * (-share / below)).exp()
    for p, factor in zip(part.p, unflatten(decay, part.p), strict=True):
        p.mul_(factor)
