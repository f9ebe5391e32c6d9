"""Leimkuhler-Matthews: the high-friction limit of BAOAB, exact on a harmonic potential.

One step:

    q ← q − (h/m) ∇U(q) + √(2Th/m) (ξₙ + ξₙ₋₁)/2,   ξₙ ~ N(0, I)

The draw of one step is used again in the next. Costs one gradient a step, like Euler-Maruyama,
with the stationary law right to second order and exact on a Gaussian target; weak order 1 at a
fixed time. It follows BAOAB's positions with h = (step of BAOAB)²/2.

References:
    Leimkuhler and Matthews (2013), doi:10.1093/amrx/abs010, eq. (13).
"""

import math

from .._foreach import add_, copy_
from ..claims import Claims
from ..state import Env, Part
from ._base import Update


def leimkuhler_matthews(part: Part, h: float, env: Env) -> None:
    """Advance the positions of `part` by one Leimkuhler-Matthews step."""
    add_(part.q, part.force.tensors, part.force.scale * h / part.mass)
    if part.temperature > 0:
        size, last = math.sqrt(part.temperature * h / (2 * part.mass)), part.aux["xi"]
        add_(part.q, last, size)
        xi = env.noise.normal(part.q)
        add_(part.q, xi, size)
        copy_(last, xi)


def draw_first(part: Part, env: Env) -> None:
    """Draw ξ₋₁."""
    copy_(part.aux["xi"], env.noise.normal(part.q))


INTEGRATOR = Update(
    leimkuhler_matthews,
    claims=Claims(
        dynamics="overdamped",
        weak_order=1,
        stationary_order=2,
        exact_marginals=frozenset({"q"}),
    ),
    auxiliaries=("xi",),
    start=draw_first,
)
