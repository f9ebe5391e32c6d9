"""A method between two halves of a friction that is known for every coordinate.

p ← exp(−h² Σ/(4 m T)) p,   a step of the method,   the same again
"""

from dataclasses import dataclass

from torch import Tensor

from ..claims import Claims
from ..integrators import Integrator, scalars_of
from ..state import Env, Part
from ._preconditioned import unflatten

__all__ = ["Damped"]


@dataclass(frozen=True, slots=True)
class Damped:
    """A method with the friction that balances noise of variance Σ in the force.

    Attributes:
        method: the method, with momenta.
    """

    method: Integrator

    @property
    def claims(self) -> Claims:
        """What the method claims."""
        return self.method.claims

    @property
    def has_momenta(self) -> bool:
        """It has."""
        return self.method.has_momenta

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """As the method."""
        return self.method.auxiliaries

    @property
    def scalars(self) -> tuple[str, ...]:
        """As the method."""
        return scalars_of(self.method)

    def init(self, part: Part, env: Env) -> None:
        """Prepare the part for the first step."""
        self.method.init(part, env)

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
