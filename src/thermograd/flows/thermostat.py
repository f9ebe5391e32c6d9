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
    is_sum: bool = True
    is_additive: bool = True
    scalars: tuple[str, ...] = ("xi",)

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        rate = constants(part, self.letter).feedback * dt
        xi = variable(part, self.letter)
        num_walkers = xi.shape[0]
        target = part.geometry.degrees_of_freedom(part, num_walkers) * part.temperature
        xi.add_(squares(part.p, num_walkers), alpha=rate / part.mass).sub_(rate * target)


FLOW = ThermostatVariable()
