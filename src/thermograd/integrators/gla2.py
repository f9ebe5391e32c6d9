"""GLA2: second-order sampling from a velocity Verlet step and a whole bath.

One step, in the order it runs:

    B   p ← p − ½h ∇U(q)
    A   q ← q + h p / m
    B   p ← p − ½h ∇U(q)
    O   p ← c p + √(m T (1 − c²)) ξ

with c = exp(−γh) and ξ ~ N(0, I) drawn afresh at each O.

Costs one gradient and one draw a step. A cyclic shift of OBABO: the same stationary law after the
bath, but weak order 1 at a fixed time.

References:
    Bou-Rabee and Owhadi (2010), doi:10.1137/090758842.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "BABO",
    claims=Claims(
        dynamics="langevin",
        weak_order=1,
        stationary_order=2,
        exact_marginals=frozenset({"p"}),
        is_time_reversible=True,
        is_symplectic=True,
    ),
)
