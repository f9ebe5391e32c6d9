"""Velocity Verlet: second-order, symplectic, reversible Hamiltonian dynamics.

One step, in the order it runs:

    B   p ← p − ½h ∇U(q)
    A   q ← q + h p / m
    B   p ← p − ½h ∇U(q)

Costs one gradient a step. Samples nothing: the energy oscillates and does not drift. Stable on a
harmonic mode of frequency Ω up to h = 2/Ω.

References:
    Swope, Andersen, Berens and Wilson (1982), doi:10.1063/1.442716.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "BAB",
    claims=Claims(
        dynamics="hamiltonian",
        weak_order=2,
        is_time_reversible=True,
        is_symplectic=True,
    ),
)
