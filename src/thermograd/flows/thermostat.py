"""E: the thermostat variable answers to the kinetic temperature.

    E   ξ ← ξ + dt ε (|p|²/m − N T)

N is the number of independent momenta, T the temperature wanted. Inverse: −dt.
"""

from dataclasses import dataclass

from .._foreach import squares
from ..state import Env, Part
from ._thermostat import constants, variable


@dataclass(frozen=True, slots=True)
class ThermostatVariable:
    """Feedback from the momenta to ξ."""

    letter: str = "E"
    is_elementwise: bool = False
    is_additive: bool = True
    scalars: tuple[str, ...] = ("xi",)

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        rate = constants(part, self.letter).feedback * dt
        target = part.geometry.degrees_of_freedom(part) * part.temperature
        xi = variable(part, self.letter)
        xi.add_(squares(part.p), alpha=rate / part.mass).sub_(rate * target)


FLOW = ThermostatVariable()
