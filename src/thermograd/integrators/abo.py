"""ABO: first-order Langevin dynamics, drift, kick, bath.

One step, in the order it runs:

    A   q ← q + h p / m
    B   p ← p − h ∇U(q)
    O   p ← c p + √(m T (1 − c²)) ξ

with c = exp(−γh) and ξ ~ N(0, I) drawn afresh at each O.

Costs one gradient a step. As γ → ∞ the bath erases every kick and the positions do a free random
walk: use OBA or BAOAB at high friction.

References:
    Vlaar (2022), thesis, University of Edinburgh, eq. (3.18).
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "ABO",
    claims=Claims(
        dynamics="langevin",
        weak_order=1,
        stationary_order=1,
        is_symplectic=True,
    ),
)
