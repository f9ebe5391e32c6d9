"""The stationary law of a discretisation on a harmonic potential, without sampling.

A step on a harmonic potential is linear, x' = M x + N ξ, in all the method carries: q, p, cached
forces, auxiliaries. M and N are read off the integrator by letting every walker start at a unit
vector or hear a unit draw, and Σ = M Σ Mᵀ + N Nᵀ is solved.
"""

import torch
from scipy.linalg import solve_discrete_lyapunov
from torch import Tensor

from thermograd.integrators import Integrator
from thermograd.potentials import Potential, Sum
from thermograd.potentials.base import Batch, Evaluator
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Params, Part

from .own import FAST
from .settings import Settings

MAX_DRAWS = 64
SMALL_STEP = 0.01
ROUNDING = 1e-9


class Draws:
    """A noise source whose k-th draw is 1 for one walker and 0 for all others."""

    matched_moments = float("inf")

    def __init__(self, first: int) -> None:
        self.next = first

    def normal(self, like: list[Tensor]) -> list[Tensor]:
        found = [torch.zeros_like(tensor) for tensor in like]
        for tensor in found:
            tensor[self.next] = 1.0
            self.next += 1
        return found

    def uniform(self, like: Tensor) -> Tensor:
        raise NotImplementedError("a linear method needs no uniforms")

    def state_dict(self) -> dict[str, Tensor]:
        return {}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        del state


class Spring:
    """The force −k q, plus noise that counts as a draw."""

    def __init__(self, stiffness: float, sd: float, draws: Draws) -> None:
        self.stiffness, self.sd, self.draws = stiffness, sd, draws

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        del batch
        for tensor, x in zip(out, q, strict=True):
            tensor.copy_(x).mul_(-self.stiffness)
            if self.sd:
                tensor.add_(self.draws.normal([x])[0], alpha=self.sd)
        return q[0].new_zeros(len(q[0]))


def stationary(
    integrator: Integrator, stiffness: float, h: float, sd: float, settings: Settings
) -> dict[str, float]:
    """Return the averages of q², p² and q⁴ at the end of a step of size h.

    Args:
        integrator: a method that is linear on a harmonic potential.
        stiffness: k.
        h: its own step size.
        sd: standard deviation of the gradient noise.
        settings: temperature, friction and mass.
    """
    draws = Draws(0)
    part = make_part(
        integrator,
        [torch.zeros(MAX_DRAWS, 1, dtype=torch.float64)],
        friction=settings.friction,
        temperature=settings.temperature,
        mass=settings.mass,
    )
    env = Env(draws, Evaluator(_potential(integrator, stiffness, sd, draws)))
    integrator.init(part, env)
    integrator.step(part, h, env)
    state = _state(part)
    for number, tensor in enumerate(state):
        tensor.zero_()
        tensor[number] = 1.0
    draws.next = len(state)
    integrator.step(part, h, env)
    columns = torch.cat(_state(part), dim=1).T
    step, noise = columns[:, : len(state)], columns[:, len(state) : draws.next]
    law = solve_discrete_lyapunov(step.numpy(), (noise @ noise.T).numpy())
    found = {"q2": float(law[0, 0]), "q4": 3 * float(law[0, 0]) ** 2}
    if part.p:
        found["p2"] = float(law[1, 1])
    return found


def keeps_claims(integrator: Integrator, stiffness: float, settings: Settings) -> dict[str, bool]:
    """Tell of q², p² and q⁴ whether the law read off a method is what its claims say.

    Without gradient noise it has to be exact where that is claimed, and elsewhere to approach
    the exact one like the claimed power of a small step (within a fifth of an order); gradient
    noise has to add what a higher temperature adds, within a tenth.
    """
    temperature, mass, claims = settings.temperature, settings.mass, integrator.claims
    order = claims.stationary_order or 0
    exact = {"q2": temperature / stiffness, "p2": mass * temperature}
    exact["q4"] = 3 * exact["q2"] ** 2
    rise = {"q2": 1 / stiffness, "p2": mass, "q4": 6 * temperature / stiffness**2}
    half, whole = (
        stationary(integrator, stiffness, h, 0.0, settings) for h in (SMALL_STEP / 2, SMALL_STEP)
    )
    noisy = stationary(integrator, stiffness, SMALL_STEP, settings.noise_sd, settings)
    friction = settings.friction if integrator.has_momenta else 1.0
    heating = SMALL_STEP * settings.noise_sd**2 / (2 * friction * mass)
    found: dict[str, bool] = {}
    for name, value in whole.items():
        bias, smaller = value / exact[name] - 1, half[name] / exact[name] - 1
        is_exact = max(abs(bias), abs(smaller)) < ROUNDING
        follows = name[0] not in claims.exact_marginals and abs(smaller) < abs(bias) / 2 ** (
            order - 0.2
        )
        heats = abs((noisy[name] - value) / (rise[name] * heating) - 1) < 0.1
        found[name] = (is_exact or follows) and heats
    return found


def _potential(integrator: Integrator, stiffness: float, sd: float, draws: Draws) -> Potential:
    if None in integrator.claims.gradients_per_step:
        return Spring(stiffness, sd, draws)
    slow = Spring((1 - FAST) * stiffness, sd, draws)
    return Sum({"slow": slow, "fast": Spring(FAST * stiffness, 0.0, draws)})


def _state(part: Part) -> Params:
    """Return what the method carries from step to step; positions first, then momenta."""
    forces = [force for force in (part.force, *part.components.values()) if force.is_fresh]
    return [*part.variables(), *(tensor for force in forces for tensor in force.tensors)]
