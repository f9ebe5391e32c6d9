"""F: the exact bath of adaptive Langevin dynamics, with the thermostat variable frozen.

    F   p ← exp(−x) p + σ √(m dt (1 − exp(−2x))/(2x)) ζ,   x = c ξ dt,   ζ ~ N(0, I)

Holds for ξ of either sign; at ξ = 0 it is p ← p + σ √(m dt) ζ. Solves dp = −c ξ p dt + σ√m dW.
It does the work of C and D in one map, with one draw. It has no inverse.
"""

import math
from dataclasses import dataclass

import torch

from .._foreach import scale_, scale_add_
from ..state import Env, Part
from ._thermostat import constants, variable


@dataclass(frozen=True, slots=True)
class ThermostatBath:
    """Friction by ξ and driving noise, together."""

    letter: str = "F"
    is_elementwise: bool = False
    is_additive: bool = False
    scalars: tuple[str, ...] = ("xi",)

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        thermostat = constants(part, self.letter)
        x = variable(part, self.letter) * (thermostat.friction_per_xi * dt)
        size = thermostat.driving_noise * math.sqrt(part.mass * dt)
        if size == 0.0:
            scale_(part.p, torch.exp(-x))
            return
        # expm1: 1 − e^−2x loses its digits near x = 0, where the quotient tends to 1
        twice = torch.where(x == 0, torch.finfo(x.dtype).tiny, 2 * x)
        spread = (torch.expm1(-twice) / -twice).sqrt()
        scale_add_(part.p, env.noise.normal(part.p), torch.exp(-x), size * spread)
        part.geometry.project_tangent(part)


FLOW = ThermostatBath()
