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
    is_elementwise: bool = True
    is_additive: bool = False
    scalars: tuple[str, ...] = ("xi",)

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        thermostat = constants(part, self.letter)
        y = variable(part, self.letter) * (-2.0 * thermostat.friction_per_xi * dt)
        decay = (0.5 * y).exp_()
        size = thermostat.driving_noise * math.sqrt(part.mass * dt)
        if size == 0.0:
            scale_(part.p, decay)
            return
        # expm1: 1 − e^y loses its digits near y = 0, where the quotient tends to 1
        gain = torch.expm1(y).div_(y).nan_to_num_(1.0).sqrt_().mul_(size)
        scale_add_(part.p, env.noise.normal(part.p), decay, gain)
        part.geometry.project_tangent(part)


FLOW = ThermostatBath()
