"""Langevin r-RESPA: the slow force once a step, BAOAB with the fast force k times.

One step, for U = U_slow + U_fast:

    B[slow]   p ← p − ½h ∇U_slow(q)
    k times, with s = h/k and c = exp(−γs):
        B[fast]   p ← p − ½s ∇U_fast(q)
        A         q ← q + ½s p / m
        O         p ← c p + √(mT(1 − c²)) ξ
        A         q ← q + ½s p / m
        B[fast]   p ← p − ½s ∇U_fast(q)
    B[slow]   p ← p − ½h ∇U_slow(q)

Costs 1 slow and k fast gradients and k draws. Enough friction removes the resonances of r-RESPA.
The source's Algorithm 1.2 omits the factor p in its O line.

References:
    Vlaar (2022), thesis, University of Edinburgh, Algorithm 1.2.
"""

from ..claims import Claims
from ..splitting import Stage, Word, nest


def langevin_r_respa(inner_steps: int) -> Word:
    """Make the method with k = inner_steps."""
    slow = (Stage("B", 0.5, "slow"), Stage("B", 0.5, "slow"))
    kick, drift = Stage("B", 0.5, "fast"), Stage("A", 0.5)
    fast = (kick, drift, Stage("O", 1.0), drift, kick)
    claims = Claims(
        dynamics="langevin",
        weak_order=2,
        stationary_order=2,
        is_time_reversible=True,
        is_symplectic=True,
    )
    return Word(nest(slow, fast, inner_steps), claims)


MAKE = langevin_r_respa
INTEGRATOR = langevin_r_respa(inner_steps=4)
