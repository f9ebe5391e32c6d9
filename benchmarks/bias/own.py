"""This library's samplers, by the engine that its users run."""

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from thermograd import integrators
from thermograd.integrators import Integrator
from thermograd.integrators.hmc import HMC
from thermograd.noise import Gaussian, seeded
from thermograd.potentials import NoisyForce, Potential, Sum
from thermograd.sampling.engine import simulate
from thermograd.state import Part

from .settings import TARGETS, Settings, Target, share

LIBRARY = "thermograd"
SAMPLING = ("langevin", "overdamped")
FAST = 0.8  # share of the potential that a multiple-time-step method calls fast

PerWalker = Mapping[str, Tensor]


def samplers() -> list[str]:
    """Return the names of the registry's methods that sample."""
    return [name for name in integrators.names() if _claims(name).dynamics in SAMPLING]


def cells(settings: Settings) -> Iterator[tuple[str, str, bool]]:
    """Yield (method, target, whether with gradient noise) of every row."""
    for name in samplers():
        for target in TARGETS:
            yield name, target, False
            if not _claims(name).is_metropolised:
                yield name, target, True


def method(name: str, settings: Settings) -> Integrator:
    """Return the integrator at the settings of the benchmark."""
    found = integrators.get(name)
    if isinstance(found, HMC):
        return HMC(settings.path_steps, found.randomised, found.order)
    return found


def gradients_per_step(name: str, settings: Settings) -> int:
    """Return the evaluations a step costs, those of a part of the potential included."""
    return sum(method(name, settings).claims.gradients_per_step.values())


def potential(name: str, target: Target, settings: Settings, noise_seed: int | None) -> Potential:
    """Return the potential as the method wants it; gradient noise only in the slow part."""
    sd = 0.0 if noise_seed is None else settings.noise_sd
    generator = seeded(noise_seed or 0)
    if None in _claims(name).gradients_per_step:
        return NoisyForce(target, sd, generator) if sd else target
    slow: Potential = share(target, 1 - FAST)
    slow = NoisyForce(slow, sd, generator) if sd else slow
    return Sum({"slow": slow, "fast": share(target, FAST)})


def measure(
    name: str, target_name: str, is_noisy: bool, h: float, settings: Settings
) -> dict[str, Tensor]:
    """Return the time averages of every walker, each (W,)."""
    integrator, target = method(name, settings), TARGETS[target_name]
    label = (LIBRARY, name, target_name, is_noisy, h)
    cost = gradients_per_step(name, settings)
    noise_seed = settings.seed_of(*label, "force") if is_noisy else None
    start = target.sample(
        settings.walkers, settings.temperature, seeded(settings.seed_of(*label, "start"))
    )
    return simulate(
        potential(name, target, settings, noise_seed),
        integrator,
        start,
        steps=-(-settings.gradients // cost),
        burn_in=-(-settings.burn_in // cost),
        step_size=settings.step_size(h, integrator.has_momenta),
        noise=Gaussian(seeded(settings.seed_of(*label))),
        friction=settings.friction,
        temperature=settings.temperature,
        mass=settings.mass,
        observe=observe,
    ).mean


def observe(part: Part) -> dict[str, Tensor]:
    """Return q², q⁴ and, where there are momenta, p² of every walker."""
    q2 = part.q[0][:, 0].square()
    values = {"q2": q2, "q4": q2.square()}
    if part.p:
        values["p2"] = part.p[0][:, 0].square()
    return values


def _claims(name: str) -> integrators.Claims:
    return integrators.get(name).claims


def summarise(per_walker: PerWalker) -> dict[str, tuple[float, float]]:
    """Return (mean, standard error) of every observable; NaN where a walker diverged."""
    found: dict[str, tuple[float, float]] = {}
    for name, values in per_walker.items():
        ok = bool(torch.isfinite(values).all())
        error = float(values.std()) / len(values) ** 0.5 if ok else float("nan")
        found[name] = (float(values.mean()) if ok else float("nan"), error)
    return found
