"""SGLD: Euler-Maruyama with a minibatch force and, as published, a decreasing step size.

One step:

    q ← q − (h/m) ∇Ũ(q) + √(2Th/m) ξ,   ξ ~ N(0, I),   hₜ = a (b + t)^−c,   ½ < c ≤ 1

The map is `euler_maruyama`; the step size is a schedule (`thermograd.schedules.Polynomial`), or a
torch learning-rate scheduler in `thermograd.optim.SGLD`. At fixed h the minibatch noise of
variance V heats it to T + hV/2m.

The paper writes ε = 2h, so that its noise is √ε ξ at T = 1. Two other conventions are in use: a
noise of √h σ ξ has σ² = 2T/m.

References:
    Welling and Teh (2011), Bayesian learning via stochastic gradient Langevin dynamics, eq. (4).
"""

from .euler_maruyama import INTEGRATOR

__all__ = ["INTEGRATOR"]
