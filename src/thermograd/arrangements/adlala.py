"""AdLaLa: adaptive Langevin dynamics on the hidden layers, Langevin dynamics on the last layer.

    hidden   dp₁ = f₁ dt − c ξ p₁ dt + σ dW₁,   dξ = ε (|p₁|² − N₁T₁) dt,   dq₁ = p₁ dt
    output   dp₂ = f₂ dt − γ p₂ dt + √(2γT₂) dW₂,                          dq₂ = p₂ dt

BAEFEAB beside BAOAB. The friction of the hidden part is c ξ with c = ε (coupling "scaled").

References:
    Leimkuhler, Matthews and Vlaar (2019), doi:10.3934/fods.2019019.
    Vlaar (2022), thesis, University of Edinburgh, eq. (3.31).
"""

from dataclasses import dataclass, replace

from ..partitions import Partition
from ..partitions.base import Named
from ..thermostat import Coupling, Thermostat
from ._arrangement import Arrangement
from ._part_method import PartMethod
from ._two_parts import two_parts

__all__ = ["AdLaLa"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdLaLa:
    """The settings of AdLaLa; the defaults are the source's rules of thumb.

    Attributes:
        temperature: T₁ ≥ 0 of the hidden part.
        output_temperature: T₂ ≥ 0 of the output part.
        friction: γ ≥ 0 of the output part.
        driving_noise: σ ≥ 0.
        feedback: ε > 0.
        coupling: whether the friction of the hidden part is εξ ("scaled") or ξ ("plain").
        initial_xi: ξ before the first step; None is its mean ξ̄, or 0.1 where σ or T is 0.
        thermostat_per: what has a ξ of its own: "part", "layer" or "tensor".
        partition: two parts, hidden and output in this order, if not by the last layer.
        word: method of the hidden part.
    """

    temperature: float = 1e-4
    output_temperature: float = 1e-4
    friction: float = 0.1
    driving_noise: float = 0.01
    feedback: float = 0.1
    coupling: Coupling = "scaled"
    initial_xi: float | None = None
    thermostat_per: str = "part"
    partition: Partition | None = None
    word: str = "BAEFEAB"

    def arrange(self, params: Named) -> Arrangement:
        """Return the two parts, for parameters with names."""
        thermostat = Thermostat(self.feedback, self.driving_noise, self.coupling)
        if self.initial_xi is not None:
            thermostat = replace(thermostat, initial_xi=self.initial_xi)
        elif self.driving_noise > 0 and self.temperature > 0:
            thermostat = replace(thermostat, initial_xi=thermostat.mean_xi(self.temperature))
        hidden = PartMethod(
            self.word,
            temperature=self.temperature,
            thermostat=thermostat,
            thermostat_per=self.thermostat_per,
        )
        output = PartMethod("BAOAB", friction=self.friction, temperature=self.output_temperature)
        return two_parts(params, self.partition, hidden, output, "AdLaLa")


ARRANGEMENT = AdLaLa
