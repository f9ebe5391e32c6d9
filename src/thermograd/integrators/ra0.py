"""RA-0: reversible averaging with the slow drift around the fast loop; resonant.

One step; Q, P is the first tensor of the part, q, p the others; Av₊ is the average over the fast
path forward from here with Q fixed, Av₋ backward:

    P ← P + ½h Av₊[−∇_Q U(Q, q₊)]
    Q ← Q + ½h P/m
    k times, with s = h/k:
        p ← p − ½s ∇_q U(Q, q);  q ← q + s p/m;  p ← p − ½s ∇_q U(Q, q)
    Q ← Q + ½h P/m
    P ← P + ½h Av₋[−∇_Q U(Q, q₋)]

Costs 3k + 2 gradients. On the linear model problem it has narrow
unstable bands, which RA-1 has not. Scale
the coordinates so that fast and slow have the same mass.

References:
    Leimkuhler and Reich (2001), Journal of Computational Physics 171, 95–114.
    Vlaar (2022), thesis, University of Edinburgh, Algorithm 1.3.
"""

from ._averaging import ReversibleAveraging


def ra0(inner_steps: int) -> ReversibleAveraging:
    """Make the method with k = inner_steps."""
    return ReversibleAveraging(inner_steps, drift_inside=False)


MAKE = ra0
INTEGRATOR = ra0(inner_steps=4)
