"""D: noise put in on purpose, with no friction of its own.

    D   p ← p + σ √(m dt) ζ,   ζ ~ N(0, I)

At σ = 0 nothing happens and no noise is drawn. Solves dp = σ√m dW. It has no inverse.
"""

import math
from dataclasses import dataclass

from .._foreach import decay_add_
from ..state import Env, Params, Part
from ._thermostat import constants


@dataclass(frozen=True, slots=True)
class DrivingNoise:
    """Noise of a fixed amplitude."""

    letter: str = "D"
    is_elementwise: bool = True
    is_additive: bool = False
    scalars: tuple[str, ...] = ("xi",)

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        decay, gain, zeta = self.momentum_map(part, dt, env)
        decay_add_(part.p, zeta, decay, gain)
        part.geometry.project_tangent(part)

    def momentum_map(self, part: Part, dt: float, env: Env) -> tuple[float, float, Params]:
        """Return (decay, gain, x) of the map p ← decay p + gain x that this flow is."""
        gain = constants(part, self.letter).driving_noise * math.sqrt(part.mass * dt)
        return 1.0, gain, env.noise.normal(part.p) if gain > 0.0 else part.p


FLOW = DrivingNoise()
