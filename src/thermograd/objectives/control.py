"""Controlled SGD: descent that is pushed towards where a terminal cost will be low.

    dX = −∇U(X) ds − a(X, s) ds + √(2T) dB,   cost  E[V(X(S)) + ½∫ |a|² ds]

The cheapest control is a = ∇u, where u solves −u_t = −∇U·∇u − ½|∇u|² + T Δu, u(·, S) = V. For
U = ½ Σ kᵢ qᵢ² and V = ½ Σ cᵢ qᵢ², u(q, t) = ½ Σ rᵢ(t) qᵢ² + const with

    rᵢ(S − t) = 2kᵢ / ((1 + 2kᵢ/cᵢ) exp(2kᵢ t) − 1),   at k = 0:  r = c/(1 + ct)

and without −∇U (k = 0) u is the local entropy of V with γ = S − s.

References:
    Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y, section 4; thesis, eqs (4.29)-(4.32),
    with the noise of exp(−U/T).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from torch import Tensor

from .._checks import non_negative, positive
from .._foreach import added
from ..state import Env, Params, Part
from ._forced import Forced

__all__ = ["Control", "Controlled", "quadratic_control"]

Control: TypeAlias = Callable[[Sequence[Tensor], float], Sequence[Tensor]]


def quadratic_control(stiffness: float, cost: float, remaining: float) -> float:
    """Return r(s) of the cheapest control a = r q, with the time S − s remaining.

    Args:
        stiffness: k ≥ 0.
        cost: c > 0.
        remaining: S − s ≥ 0.
    """
    owner = "quadratic_control"
    k = non_negative(stiffness, "stiffness", owner)
    c, t = positive(cost, "cost", owner), non_negative(remaining, "remaining", owner)
    if k == 0.0:
        return c / (1.0 + c * t)
    growth = math.expm1(2.0 * k * t)
    return c / (1.0 + growth * (1.0 + c / (2.0 * k)))


@final
@dataclass(frozen=True, slots=True)
class Controlled(Forced):
    """A method whose force has a control taken off.

    Attributes:
        control: maps positions, each with a walker axis, and a time to a(q, s).
        time: s.
    """

    control: Control
    time: float = 0.0

    @property
    def is_elementwise(self) -> bool:
        """No: a control may look at everything."""
        return False

    @property
    def needs_axis(self) -> bool:
        """Controls are promised one."""
        return True

    def pushed(self, part: Part, env: Env) -> Params:
        """Return the force less the control."""
        control = self.control(part.q, self.time)
        return added(part.force.tensors, control, -1.0 / part.force.scale)
