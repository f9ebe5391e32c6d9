"""C: friction by the thermostat variable.

    C   p ← exp(−c ξ dt) p

with c = 1 or ε (see `thermograd.thermostat`). Where ξ < 0 the momenta grow. Inverse: −dt.
"""

from dataclasses import dataclass

from .._foreach import scale_
from ..state import Env, Part
from ._thermostat import constants, variable


@dataclass(frozen=True, slots=True)
class ThermostatFriction:
    """Decay or growth of the momenta at the rate c ξ, ξ frozen."""

    letter: str = "C"
    is_elementwise: bool = True
    is_additive: bool = False
    scalars: tuple[str, ...] = ("xi",)

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        c = constants(part, self.letter).friction_per_xi
        scale_(part.p, (variable(part, self.letter) * (-c * dt)).exp_())


FLOW = ThermostatFriction()
