"""Adaptive Langevin (BACDEDCAB): the right temperature, second order, under unknown force noise.

One step, in the order it runs:

    B   p ← p − ½h ∇U(q)
    A   q ← q + ½h p/m
    C   p ← exp(−½h c ξ) p
    D   p ← p + σ √(½hm) ζ
    E   ξ ← ξ + h ε (|p|²/m − N T)
    D   p ← p + σ √(½hm) ζ
    C   p ← exp(−½h c ξ) p
    A   q ← q + ½h p/m
    B   p ← p − ½h ∇U(q)

with ζ ~ N(0, I) drawn afresh at each D, N the number of independent momenta, and c = 1 (coupling
"plain") or ε ("scaled").

The friction c ξ is no parameter: it settles where the kinetic temperature is T, whatever noise the
forces carry. In a stationary state ⟨|p|²⟩ = NmT exactly at E, at any step size. Costs one gradient,
one reduction over the momenta and two draws a step.

References:
    Jones and Leimkuhler (2011), doi:10.1063/1.3626941.
    Vlaar (2022), thesis, University of Edinburgh, eqs. (2.60) and (3.23).
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "BACDEDCAB",
    claims=Claims(
        dynamics="adaptive langevin",
        weak_order=2,
        stationary_order=2,
        is_time_reversible=True,
    ),
)
