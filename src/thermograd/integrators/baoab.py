"""BAOAB: second-order Langevin dynamics, unbiased in position on a harmonic potential.

One step, in the order it runs:

    B   p ← p − ½h ∇U(q)
    A   q ← q + ½h p / m
    O   p ← c p + √(m T (1 − c²)) ξ
    A   q ← q + ½h p / m
    B   p ← p − ½h ∇U(q)

with c = exp(−γh) and ξ ~ N(0, I) drawn afresh at each O.

The last kick and the next first one use the same force, so a step costs one gradient. At the end
of a step ⟨q²⟩ is exact on a Gaussian target for every stable h, and ⟨p²⟩ = mT(1 − h²ω²/4). As
γ → ∞ the positions follow the Leimkuhler-Matthews scheme with step h²/(2m).

References:
    Leimkuhler and Matthews (2013), doi:10.1093/amrx/abs010.
"""

from ..claims import Claims, Limit
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "BAOAB",
    claims=Claims(
        dynamics="langevin",
        weak_order=2,
        stationary_order=2,
        exact_marginals=frozenset({"q"}),
        is_time_reversible=True,
        is_symplectic=True,
        limits=(
            Limit(
                at="friction = ∞",
                method="leimkuhler_matthews",
                says="positions: step h²/2, noise (ξₙ + ξₙ₋₁)/2",
                step_size=lambda h, g: h * h / 2,
            ),
        ),
    ),
)
