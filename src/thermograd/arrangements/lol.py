"""LOL: Langevin dynamics on the hidden layers, its overdamped limit on the last layer.

    hidden   BAOAB with friction γ and temperature T₁
    output   BAOAB with infinite friction and temperature T₂, usually 0

References:
    Leimkuhler, Matthews and Vlaar (2019), doi:10.3934/fods.2019019.
    Vlaar (2022), thesis, University of Edinburgh, eq. (3.26).
"""

import math
from dataclasses import dataclass

from ..partitions import Partition
from ..partitions.base import Named
from ._arrangement import Arrangement
from ._part_method import PartMethod
from ._two_parts import two_parts

__all__ = ["LOL"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LOL:
    """The settings of LOL.

    Attributes:
        temperature: T₁ ≥ 0 of the hidden part.
        output_temperature: T₂ ≥ 0 of the output part.
        friction: γ ≥ 0 of the hidden part.
        partition: two parts, hidden and output in this order, if not by the last layer.
        word: method of both parts.
    """

    temperature: float = 1e-3
    output_temperature: float = 0.0
    friction: float = 0.01
    partition: Partition | None = None
    word: str = "BAOAB"

    def arrange(self, params: Named) -> Arrangement:
        """Return the two parts, for parameters with names."""
        hidden = PartMethod(self.word, friction=self.friction, temperature=self.temperature)
        output = PartMethod(self.word, friction=math.inf, temperature=self.output_temperature)
        return two_parts(params, self.partition, hidden, output, "LOL")


ARRANGEMENT = LOL
