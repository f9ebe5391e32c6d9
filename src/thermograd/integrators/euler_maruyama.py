"""Euler-Maruyama: first-order overdamped Langevin dynamics; SGLD when the force is a minibatch's.

One step:

    q ← q − (h/m) ∇U(q) + √(2Th/m) ξ,   ξ ~ N(0, I)

Costs one gradient a step and has no momenta. At fixed h on a Gaussian target
⟨q²⟩ = (T/k)/(1 − hk/2m) for stiffness k. With a step size that decreases like (b + t)^−a,
½ < a ≤ 1, the averages weighted by h converge to those of exp(−U/T).

References:
    Welling and Teh (2011), Bayesian learning via stochastic gradient Langevin dynamics, eq. (4).
"""

from .._foreach import add_
from ..claims import Claims
from ..state import Env, Part, thermal_noise
from ._base import Update


def euler_maruyama(part: Part, h: float, env: Env) -> None:
    """Advance the positions of `part` by one Euler-Maruyama step."""
    add_(part.q, part.force.tensors, part.force.scale * h / part.mass)
    if not part.is_cold:
        size, xi = thermal_noise(part, 2 * h / part.mass, part.q, env)
        add_(part.q, xi, size)


INTEGRATOR = Update(
    euler_maruyama,
    claims=Claims(dynamics="overdamped", weak_order=1, stationary_order=1),
)
