"""Leimkuhler-Matthews: the high-friction limit of BAOAB, exact on a harmonic potential.

One step:

    q ← q − (h/m) ∇U(q) + √(2Th/m) (ξₙ + ξₙ₋₁)/2,   ξₙ ~ N(0, I)

The draw of one step is used again in the next. Costs one gradient a step, like Euler-Maruyama,
with the stationary law right to second order and exact on a Gaussian target; weak order 1 at a
fixed time. It follows BAOAB's positions with h = (step of BAOAB)²/2.

References:
    Leimkuhler and Matthews (2013), doi:10.1093/amrx/abs010, eq. (13).
"""

from .._foreach import add_, copy_
from ..claims import Claims
from ..state import Env, Part, thermal_noise
from ._base import Update


def leimkuhler_matthews(part: Part, h: float, env: Env) -> None:
    """Advance the positions of `part` by one Leimkuhler-Matthews step."""
    add_(part.q, part.force.tensors, part.force.scale * h / part.mass)
    if not part.is_cold:
        size, xi = thermal_noise(part, h / (2 * part.mass), part.q, env)
        add_(part.q, part.aux["xi"], size)
        add_(part.q, xi, size)
        copy_(part.aux["xi"], xi)


def draw_first(part: Part, env: Env) -> None:
    """Draw ξ₋₁."""
    if not part.is_cold:
        copy_(part.aux["xi"], thermal_noise(part, 1.0, part.q, env)[1])


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
