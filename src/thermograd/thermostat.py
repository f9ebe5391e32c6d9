"""What the feedback of adaptive Langevin dynamics needs to know.

    dp = f dt − c ξ p dt + σ√m dW
    dξ = ε (|p|²/m − N T) dt,   c = 1 if coupling = "plain", ε if "scaled"

N counts the independent momenta of the part. The law of the dynamics is

    ∝ exp(−(|p|²/2m + U)/T) exp(−c (ξ − ξ̄)²/(2 ε T)),   ξ̄ = σ²/(2 c T)

so positions and momenta are those of Langevin dynamics at T whatever σ is. Noise that a force
brings with it adds to σ, unknown, and only moves ξ̄. Around it ξ swings with the frequency
√(2 c ε N T); times h it must stay well below 2, so a large N asks for a small ε.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ._checks import is_real, non_negative, one_of, positive, require

__all__ = ["Coupling", "Thermostat"]

Coupling: TypeAlias = Literal["plain", "scaled"]


@dataclass(frozen=True, slots=True)
class Thermostat:
    """The constants of one thermostat variable ξ.

    Attributes:
        feedback: ε > 0, how strongly ξ answers to a wrong temperature.
        driving_noise: σ ≥ 0, the amplitude of the noise put in on purpose.
        coupling: whether the friction is ξ ("plain") or εξ ("scaled").
        initial_xi: ξ before the first step.
    """

    feedback: float
    driving_noise: float
    coupling: Coupling = "plain"
    initial_xi: float = 0.1

    def __post_init__(self) -> None:
        positive(self.feedback, "feedback", "Thermostat")
        non_negative(self.driving_noise, "driving_noise", "Thermostat")
        one_of(self.coupling, ("plain", "scaled"), "coupling", "Thermostat")
        ok = is_real(self.initial_xi)
        require(ok, "initial_xi", "Thermostat", "a finite number", self.initial_xi)

    @property
    def friction_per_xi(self) -> float:
        """c: the friction is c ξ."""
        return self.feedback if self.coupling == "scaled" else 1.0

    def mean_xi(self, temperature: float) -> float:
        """Return ξ̄ at T > 0, with exact forces."""
        return self.driving_noise**2 / (2 * self.friction_per_xi * temperature)

    def variance_xi(self, temperature: float) -> float:
        """Return the variance of ξ at T > 0."""
        return self.feedback * temperature / self.friction_per_xi
