"""SGNHT: stochastic-gradient Nosé-Hoover thermostat, adaptive Langevin by one Euler step.

One step, in the order it runs:

    p ← p − h ∇U(q) − h c ξ p + σ √(hm) ζ,   ζ ~ N(0, I)
    q ← q + h p/m
    ξ ← ξ + h ε (|p|²/m − N T)

with N the number of independent momenta and c = 1 (coupling "plain") or ε ("scaled").

The source has T = m = 1, ε = 1/N, and writes A for σ²/2. Costs one gradient, one reduction and one
draw a step. First order; the splittings of the same dynamics cost as much and are of second order.

References:
    Ding, Fang, Babbush, Chen, Skeel and Neven (2014), Bayesian sampling using stochastic gradient
    thermostats, Algorithm 2.
"""

import math

import torch

from .._foreach import add_, scale_, squares
from ..claims import Claims
from ..flows._thermostat import constants, variable
from ..state import Env, Part
from ._base import Update


def sgnht(part: Part, h: float, env: Env) -> None:
    """Advance `part` by one step."""
    thermostat, xi, m = constants(part, "SGNHT"), variable(part, "SGNHT"), part.mass
    scale_(part.p, torch.add(1.0, xi, alpha=-h * thermostat.friction_per_xi))
    add_(part.p, part.force.tensors, part.force.scale * h)
    if thermostat.driving_noise > 0:
        add_(part.p, env.noise.normal(part.p), thermostat.driving_noise * math.sqrt(h * m))
    add_(part.q, part.p, h / m)
    num_walkers, rate = xi.shape[0], thermostat.feedback * h
    target = part.geometry.degrees_of_freedom(part, num_walkers) * part.temperature
    xi.add_(squares(part.p, num_walkers), alpha=rate / m).sub_(rate * target)


INTEGRATOR = Update(
    sgnht,
    claims=Claims(dynamics="adaptive langevin", weak_order=1, stationary_order=1),
    has_momenta=True,
    scalars=("xi",),
    is_elementwise=False,
    needs_axis=False,
)
