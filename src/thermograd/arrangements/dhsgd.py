"""DHSGD: Hamiltonian dynamics on the hidden layers, gradient descent on the last layer.

    hidden   velocity Verlet
    output   q₂ ← q₂ − ½h² ∇₂U       (h in place of ½h² in the contractive form)

`LOL` at friction 0 and temperature 0. No noise is drawn.

References:
    Vlaar (2022), thesis, University of Edinburgh, eqs. (3.27)-(3.30).
"""

from dataclasses import dataclass

from ..partitions import Partition
from ..partitions.base import Named
from ._arrangement import Arrangement
from ._part_method import PartMethod
from ._two_parts import two_parts

__all__ = ["DHSGD"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DHSGD:
    """The settings of DHSGD; momenta start at rest.

    Attributes:
        contractive: whether the output part takes steps h instead of ½h².
        partition: two parts, hidden and output in this order, if not by the last layer.
    """

    contractive: bool = False
    partition: Partition | None = None

    def arrange(self, params: Named) -> Arrangement:
        """Return the two parts, for parameters with names."""
        hidden = PartMethod("velocity_verlet", friction=0.0, temperature=0.0)
        word = "sgd" if self.contractive else "baoab_cold_limit"
        output = PartMethod(word, temperature=0.0)
        return two_parts(params, self.partition, hidden, output, "DHSGD")


ARRANGEMENT = DHSGD
