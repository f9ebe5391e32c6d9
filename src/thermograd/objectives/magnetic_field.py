"""Trivialised SGD: a random field that is annealed away flattens the landscape at first.

The field is drawn once, and kept:  h ~ J √(p(p − 2)) N(0, I).  At step i the gradient becomes

    ∇U(q) + √(1 + 2τᵢ/N) h,   τᵢ = N (exp(−i/τ₀) − ½)

in which N cancels: the factor is √2 exp(−i/(2τ₀)). The baseline draws h afresh at every step.
J is the coupling, p the number of layers; J √(p(p − 2)) is 0 or imaginary below p = 3.

References:
    Chaudhari and Soatto (2015), arXiv:1511.06485, Algorithm 1; thesis, eqs (2.19), (2.20).
"""

import math
from dataclasses import dataclass
from typing import final

from .._checks import is_int, non_negative, positive, require
from .._foreach import added, decay_add_
from ..state import Env, Params, Part
from ._forced import Forced

__all__ = ["FIELD", "InField", "critical_field", "field_strength"]

FIELD = "field"


def critical_field(coupling: float, layers: int) -> float:
    """Return ν_c = J √(p(p − 2)), where the landscape goes from many minima to few."""
    positive(coupling, "coupling", "critical_field")
    require(is_int(layers) and layers >= 3, "layers", "critical_field", "3 or more", layers)
    return coupling * math.sqrt(layers * (layers - 2))


def field_strength(step: int, decay: float) -> float:
    """Return √(1 + 2τᵢ/N) = √2 exp(−i/(2τ₀)) at step i."""
    return math.sqrt(2.0) * math.exp(-step / (2.0 * decay))


@final
@dataclass(frozen=True, slots=True)
class InField(Forced):
    """A method in a random field of its own.

    Attributes:
        size: ν, the standard deviation of the field's components, 0 or above.
        strength: what the field is multiplied by at this step.
        is_resampled: whether every step draws it afresh.
    """

    size: float = 0.0
    strength: float = math.sqrt(2.0)
    is_resampled: bool = False

    def __post_init__(self) -> None:
        non_negative(self.size, "size", "InField")

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """Those of the method, and the field."""
        return (*self.method.auxiliaries, FIELD)

    def init(self, part: Part, env: Env) -> None:
        """Prepare the method, and draw the field."""
        self.method.init(part, env)
        draw_(part.aux[FIELD], self.size, env)

    def pushed(self, part: Part, env: Env) -> Params:
        """Return the force less the field."""
        if self.is_resampled:
            draw_(part.aux[FIELD], self.size, env)
        return added(part.force.tensors, part.aux[FIELD], -self.strength / part.force.scale)


def draw_(field: Params, size: float, env: Env) -> None:
    """Set h ~ N(0, ν²)."""
    decay_add_(field, env.noise.normal(field), 0.0, size)
