"""Langevin in layers: Langevin dynamics with its own friction and temperature on each part.

    dpᵢ = fᵢ dt − γᵢ pᵢ dt + √(2γᵢTᵢ) dWᵢ,   dqᵢ = pᵢ dt

for the hidden layers and the last layer. As γ₂ → ∞ it becomes `LOL`.

References:
    Vlaar (2022), thesis, University of Edinburgh, section 3.3.
"""

from dataclasses import dataclass

from ..partitions import Partition
from ..partitions.base import Named
from ._arrangement import Arrangement
from ._part_method import PartMethod
from ._two_parts import two_parts

__all__ = ["LangevinInLayers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LangevinInLayers:
    """The settings of Langevin in layers; the source names none, and these are near `LOL`'s.

    Attributes:
        temperature: T₁ ≥ 0 of the hidden part.
        output_temperature: T₂ ≥ 0 of the output part.
        friction: γ₁ ≥ 0 of the hidden part.
        output_friction: γ₂ ≥ 0 of the output part.
        partition: two parts, hidden and output in this order, if not by the last layer.
        word: method of both parts.
    """

    temperature: float = 1e-3
    output_temperature: float = 0.0
    friction: float = 0.01
    output_friction: float = 1.0
    partition: Partition | None = None
    word: str = "BAOAB"

    def arrange(self, params: Named) -> Arrangement:
        """Return the two parts, for parameters with names."""
        heat, cold = self.temperature, self.output_temperature
        hidden = PartMethod(self.word, friction=self.friction, temperature=heat)
        output = PartMethod(self.word, friction=self.output_friction, temperature=cold)
        return two_parts(params, self.partition, hidden, output, "LangevinInLayers")


ARRANGEMENT = LangevinInLayers
