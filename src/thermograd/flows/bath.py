"""O: the exact Ornstein-Uhlenbeck bath at temperature T.

    O   p ← c p + √(m T (1 − c²)) ξ,   c = exp(−γ dt),   ξ ~ N(0, I)

At γ = 0 nothing happens; at T = 0 the momenta decay and no noise is drawn; at γ = ∞ they are
drawn afresh. Solves dp = −γ p dt + √(2 γ m T) dW. It has no inverse.
"""

import math
from dataclasses import dataclass

from .._foreach import decay_add_
from ..state import Env, Params, Part, thermal_noise


@dataclass(frozen=True, slots=True)
class Bath:
    """Friction and noise in balance."""

    letter: str = "O"
    is_elementwise: bool = True
    is_additive: bool = False

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        decay, gain, xi = self.momentum_map(part, dt, env)
        decay_add_(part.p, xi, decay, gain)
        part.geometry.project_tangent(part)

    def momentum_map(self, part: Part, dt: float, env: Env) -> tuple[float, float, Params]:
        """Return (decay, gain, x) of the map p ← decay p + gain x that this flow is."""
        rate = part.friction * dt
        # expm1: 1 − c² loses its digits when γ dt is small
        gain, xi = thermal_noise(part, -part.mass * math.expm1(-2.0 * rate), part.p, env)
        return math.exp(-rate), gain, xi


FLOW = Bath()
