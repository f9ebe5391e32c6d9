"""ABOBA: second-order Langevin dynamics, unbiased in position on a harmonic potential.

One step, in the order it runs:

    A   q ← q + ½h p / m
    B   p ← p − ½h ∇U(q)
    O   p ← c p + √(m T (1 − c²)) ξ
    B   p ← p − ½h ∇U(q)
    A   q ← q + ½h p / m

with c = exp(−γh) and ξ ~ N(0, I) drawn afresh at each O.

Costs one gradient a step. At the end of a step ⟨q²⟩ is exact on a Gaussian target and
⟨p²⟩ = mT/(1 − h²ω²/4).

References:
    Leimkuhler and Matthews (2013), doi:10.1093/amrx/abs010.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "ABOBA",
    claims=Claims(
        dynamics="langevin",
        weak_order=2,
        stationary_order=2,
        exact_marginals=frozenset({"q"}),
        is_time_reversible=True,
        is_symplectic=True,
    ),
)
