"""What one part of an arrangement does."""

import math
from dataclasses import KW_ONLY, dataclass

from .._checks import non_negative, one_of, positive, require
from ..integrators import Integrator
from ..thermostat import Thermostat

__all__ = ["PartMethod"]


@dataclass(frozen=True, slots=True)
class PartMethod:
    """A method and its settings, for one part.

    What is None is as the whole run has it.

    Attributes:
        word: letters, a method's name, or an integrator with one gradient a step.
        friction: γ ≥ 0; may be infinite.
        temperature: T ≥ 0, in units of U.
        mass: m > 0.
        thermostat: ε, σ and the coupling, for words with a thermostat variable.
        thermostat_per: what has a ξ of its own: "part", "layer" or "tensor".
    """

    word: str | Integrator
    _: KW_ONLY
    friction: float | None = None
    temperature: float | None = None
    mass: float | None = None
    thermostat: Thermostat | None = None
    thermostat_per: str = "part"

    def __post_init__(self) -> None:
        owner = type(self).__name__
        one_of(self.thermostat_per, ("part", "layer", "tensor"), "thermostat_per", owner)
        if self.friction is not None and self.friction != math.inf:
            non_negative(self.friction, "friction", owner)
        if self.temperature is not None:
            non_negative(self.temperature, "temperature", owner)
        if self.mass is not None:
            positive(self.mass, "mass", owner)
        ok = self.thermostat is None or isinstance(self.thermostat, Thermostat)  # pyright: ignore[reportUnnecessaryIsInstance]
        require(ok, "thermostat", owner, "a Thermostat or None", self.thermostat)
