"""GLA1: first-order Langevin dynamics, kick, drift, bath.

One step, in the order it runs:

    B   p ← p − h ∇U(q)
    A   q ← q + h p / m
    O   p ← c p + √(m T (1 − c²)) ξ

with c = exp(−γh) and ξ ~ N(0, I) drawn afresh at each O.

Costs one gradient a step.

References:
    Bou-Rabee and Owhadi (2010), doi:10.1137/090758842.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "BAO",
    claims=Claims(
        dynamics="langevin",
        weak_order=1,
        stationary_order=1,
        is_symplectic=True,
    ),
)
