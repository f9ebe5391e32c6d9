"""Gradient descent: the explicit Euler method for the gradient flow.

One step:

    q ← q − (h/m) ∇U(q)

Costs one gradient a step. Order 1 for dq = −∇U dt / m. It is Euler-Maruyama at T = 0.

References:
    Cauchy (1847), Méthode générale pour la résolution des systèmes d'équations simultanées.
"""

from .._foreach import add_
from ..claims import Claims
from ..state import Env, Part
from ._base import Update


def gradient_descent(part: Part, h: float, env: Env) -> None:
    """Advance the positions of `part` by one step down the gradient."""
    add_(part.q, part.force.tensors, part.force.scale * h / part.mass)


INTEGRATOR = Update(gradient_descent, claims=Claims(dynamics="gradient flow", weak_order=1))
