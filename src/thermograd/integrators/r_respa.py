"""r-RESPA: the slow force once a step, the fast force k times; second order, symplectic.

One step, for U = U_slow + U_fast:

    B[slow]   p ← p − ½h ∇U_slow(q)
    k times:
        B[fast]   p ← p − ½(h/k) ∇U_fast(q)
        A         q ← q + (h/k) p / m
        B[fast]   p ← p − ½(h/k) ∇U_fast(q)
    B[slow]   p ← p − ½h ∇U_slow(q)

Costs 1 slow and k fast gradients. Resonant: unstable at steps just below multiples of half the
fast period, however small h/k is. Needs a target split into "slow" and "fast" terms.

References:
    Tuckerman, Berne and Martyna (1992), doi:10.1063/1.463137.
    Vlaar (2022), thesis, University of Edinburgh, Algorithm 1.1.
"""

from ..claims import Claims
from ..splitting import Stage, Word, nest


def r_respa(inner_steps: int) -> Word:
    """Make the method with k = inner_steps."""
    slow = (Stage("B", 0.5, "slow"), Stage("B", 0.5, "slow"))
    fast = (Stage("B", 0.5, "fast"), Stage("A", 1.0), Stage("B", 0.5, "fast"))
    claims = Claims(
        dynamics="hamiltonian", weak_order=2, is_time_reversible=True, is_symplectic=True
    )
    return Word(nest(slow, fast, inner_steps), claims)


MAKE = r_respa
INTEGRATOR = r_respa(inner_steps=4)
