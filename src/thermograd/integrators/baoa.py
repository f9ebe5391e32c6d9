"""BAOA: BAOAB with its two half kicks joined; exact Gaussian marginals, weak order 1.

One step, in the order it runs:

    B   p ← p − h ∇U(q)
    A   q ← q + ½h p / m
    O   p ← c p + √(m T (1 − c²)) ξ
    A   q ← q + ½h p / m

with c = exp(−γh) and ξ ~ N(0, I) drawn afresh at each O.

Costs one gradient a step. The same trajectory as BAOAB seen half a kick later: at the end of a step
both ⟨q²⟩ and ⟨p²⟩ are exact on a Gaussian target, but ⟨qp⟩ and moments at a fixed time are wrong by
O(h).

References:
    Kieninger and Keller (2022), doi:10.1021/acs.jctc.2c00585.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "BAOA",
    claims=Claims(
        dynamics="langevin",
        weak_order=1,
        stationary_order=1,
        exact_marginals=frozenset({"q", "p"}),
        is_symplectic=True,
    ),
)
