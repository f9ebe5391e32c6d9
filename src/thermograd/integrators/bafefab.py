"""BAFEFAB: adaptive Langevin with friction and noise in one exact map, second order.

One step, in the order it runs:

    B   p ← p − ½h ∇U(q)
    A   q ← q + ½h p/m
    F   p ← exp(−x) p + σ √(½hm (1 − exp(−2x))/(2x)) ζ,   x = ½h c ξ
    E   ξ ← ξ + h ε (|p|²/m − N T)
    F   p ← exp(−x) p + σ √(½hm (1 − exp(−2x))/(2x)) ζ,   x = ½h c ξ
    A   q ← q + ½h p/m
    B   p ← p − ½h ∇U(q)

with ζ ~ N(0, I) drawn afresh at each F, N the number of independent momenta, and c = 1 (coupling
"plain") or ε ("scaled").

`adaptive_langevin` with its C D replaced by the bath of frozen ξ. Same cost; on a quartic well,
where the laws of both can be computed, its bias is smaller.

References:
    Vlaar (2022), thesis, University of Edinburgh, eq. (2.61).
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "BAFEFAB",
    claims=Claims(
        dynamics="adaptive langevin",
        weak_order=2,
        stationary_order=2,
        is_time_reversible=True,
    ),
)
