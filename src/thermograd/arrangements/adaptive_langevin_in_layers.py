"""Adaptive Langevin in layers: a thermostat of its own for each part.

    dpᵢ = fᵢ dt − cᵢ ξᵢ pᵢ dt + σᵢ dWᵢ,   dξᵢ = εᵢ (|pᵢ|² − NᵢTᵢ) dt,   dqᵢ = pᵢ dt

for every layer, or every part of a partition, with the same constants.

References:
    Vlaar (2022), thesis, University of Edinburgh, section 3.3.
"""

from dataclasses import dataclass

from ..partitions import Partition, by_layer
from ..partitions.base import Named
from ..thermostat import Coupling, Thermostat
from ._arrangement import Arrangement
from ._part_method import PartMethod

__all__ = ["AdaptiveLangevinInLayers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveLangevinInLayers:
    """The settings of adaptive Langevin in layers; defaults near `AdLaLa`'s.

    ξ starts at 0.1.

    Attributes:
        temperature: T ≥ 0 of every part.
        driving_noise: σ ≥ 0.
        feedback: ε > 0.
        coupling: whether the friction is εξ ("scaled") or ξ ("plain").
        initial_xi: ξ before the first step.
        partition: any number of parts, if not the layers.
        word: method of all parts.
    """

    temperature: float = 1e-4
    driving_noise: float = 0.01
    feedback: float = 0.1
    coupling: Coupling = "scaled"
    initial_xi: float = 0.1
    partition: Partition | None = None
    word: str = "BAEFEAB"

    def arrange(self, params: Named) -> Arrangement:
        """Return a part for each layer, for parameters with names."""
        thermostat = Thermostat(self.feedback, self.driving_noise, self.coupling, self.initial_xi)
        method = PartMethod(self.word, temperature=self.temperature, thermostat=thermostat)
        found = self.partition if self.partition is not None else by_layer(params)
        return Arrangement(found, dict.fromkeys(found.parts, method))


ARRANGEMENT = AdaptiveLangevinInLayers
