"""HEAT: descent on an objective smoothed by a Gaussian of variance γ.

    v(x) = E U(x + √γ ξ),   ∇v(x) = E ∇U(x + √γ ξ),   ξ ~ N(0, I)

which solves v_t = ½ Δv from v = U in time γ. On a harmonic potential v differs from U by a
constant. A round of L gradients:

    s ← s + ∇U(q),   q ← x + √γ ξ        L times, ξ fresh each time
    x ← x − η s/L

References:
    Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y, section 5; thesis, eq. (4.43).
"""

import math
from collections.abc import Sequence

from torch import Tensor

from .._foreach import add_, copy_
from ..claims import Claims
from ..integrators import Update
from ..noise import NoiseSource
from ..state import Env, Part
from .tethered import ANCHOR

__all__ = ["TOTAL", "gather_gradients", "shake_"]

TOTAL = "total"


def _sum(part: Part, h: float, env: Env) -> None:
    add_(part.aux[TOTAL], part.force.tensors, -part.force.scale)


def _tie(part: Part, env: Env) -> None:
    copy_(part.aux[ANCHOR], part.q)


def gather_gradients() -> Update:
    """Make the method that adds up gradients and moves nothing."""
    return Update(_sum, claims=Claims(), auxiliaries=(ANCHOR, TOTAL), start=_tie)


def shake_(q: Sequence[Tensor], x: Sequence[Tensor], scope: float, noise: NoiseSource) -> None:
    """Set q ← x + √γ ξ."""
    copy_(q, x)
    add_(q, noise.normal(q), math.sqrt(scope))
