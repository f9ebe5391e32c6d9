"""OABAO: second-order Langevin dynamics around one whole kick.

One step, in the order it runs:

    O   p ← c p + √(m T (1 − c²)) ξ
    A   q ← q + ½h p / m
    B   p ← p − h ∇U(q)
    A   q ← q + ½h p / m
    O   p ← c p + √(m T (1 − c²)) ξ

with c = exp(−γ·½h) and ξ ~ N(0, I) drawn afresh at each O.

Position Verlet between two half baths; costs one gradient and two draws a step.

References:
    Leimkuhler, Matthews and Stoltz (2016), doi:10.1093/imanum/dru056.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "OABAO",
    claims=Claims(
        dynamics="langevin",
        weak_order=2,
        stationary_order=2,
        exact_marginals=frozenset({"p"}),
        is_time_reversible=True,
        is_symplectic=True,
    ),
)
