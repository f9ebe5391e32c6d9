"""RA-1: reversible averaging with the slow drift inside the fast loop; no resonances.

One step; Q, P is the first tensor of the part, q, p the others; Av₊ is the average over the fast
path forward from here with Q fixed, Av₋ backward:

    P ← P + ½h Av₊[−∇_Q U(Q, q₊)]
    k times, with s = h/k:
        p ← p − ½s ∇_q U(Q, q)
        q ← q + s p/m;  Q ← Q + s P/m
        p ← p − ½s ∇_q U(Q, q)
    P ← P + ½h Av₋[−∇_Q U(Q, q₋)]

Costs 3k gradients. On the linear model problem of the source, with the fast motion exact, every
eigenvalue of the step has modulus 1. Scale the
coordinates so that fast and slow have the same mass.

References:
    Leimkuhler and Reich (2001), Journal of Computational Physics 171, 95–114.
    Vlaar (2022), thesis, University of Edinburgh, Algorithm 1.4.
"""

from ._averaging import ReversibleAveraging


def ra1(inner_steps: int) -> ReversibleAveraging:
    """Make the method with k = inner_steps."""
    return ReversibleAveraging(inner_steps, drift_inside=True)


MAKE = ra1
INTEGRATOR = ra1(inner_steps=4)
