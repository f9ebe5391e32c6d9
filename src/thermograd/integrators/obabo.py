"""OBABO: second-order Langevin dynamics, unbiased in momentum on a harmonic potential.

One step, in the order it runs:

    O   p ← c p + √(m T (1 − c²)) ξ
    B   p ← p − ½h ∇U(q)
    A   q ← q + h p / m
    B   p ← p − ½h ∇U(q)
    O   p ← c p + √(m T (1 − c²)) ξ

with c = exp(−γ·½h) and ξ ~ N(0, I) drawn afresh at each O.

Velocity Verlet between two half baths; costs one gradient and two draws a step. At the end of a
step ⟨p²⟩ is exact and, on a Gaussian target, ⟨q²⟩ = (T/mω²)/(1 − h²ω²/4).

References:
    Bussi and Parrinello (2007), doi:10.1103/PhysRevE.75.056707.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "OBABO",
    claims=Claims(
        dynamics="langevin",
        weak_order=2,
        stationary_order=2,
        exact_marginals=frozenset({"p"}),
        is_time_reversible=True,
        is_symplectic=True,
    ),
)
