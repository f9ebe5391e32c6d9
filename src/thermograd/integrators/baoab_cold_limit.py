"""BAOAB at infinite friction and T = 0: gradient descent that takes its step in BAOAB's time.

One step:

    q ← q − (h²/2m) ∇U(q)

It lets a part without momenta share h with parts that have them. Costs one gradient a step. BAOAB
with γ = ∞ and T = 0 follows it exactly from momenta p₀ = −½h ∇U(q₀); from rest only its first step
differs.

References:
    Vlaar (2022), thesis, University of Edinburgh, eq. (3.29).
"""

from .._foreach import add_
from ..claims import Claims
from ..state import Env, Part
from ._base import Update


def baoab_cold_limit(part: Part, h: float, env: Env) -> None:
    """Advance the positions of `part` by one step."""
    add_(part.q, part.force.tensors, part.force.scale * h * h / (2 * part.mass))


INTEGRATOR = Update(baoab_cold_limit, claims=Claims())
