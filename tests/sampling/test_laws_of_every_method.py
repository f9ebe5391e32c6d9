"""Every sampler of the registry through `thermograd.sample`, on a Gaussian and on a quartic.

Gaussian: large steps, against the exact stationary law of the method itself, which the contracts
read off its step. Metropolised methods and thermostats, whose step is not linear, are held to the
law of the target, thermostats at the steps of the quartic and in the positions alone: they hold
the kinetic temperature so closely that its bias of order h² would show.

Quartic: against the target, with steps so small that the bias is a tenth of what is resolved. At
three to ten times the step it was measured below 0.3 h for first and 0.4 h² for second order in
⟨q²⟩, and below 0.9 h and 0.9 h² in ⟨q⁴⟩.

False alarm: 1e-6 for each average, some 120 of them. Resolved: see each `assert_mean`.
"""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

import thermograd
from thermograd import integrators
from thermograd.integrators import Claims
from thermograd.noise import seeded
from thermograd.potentials import Harmonic, Potential, Quartic, Sum
from thermograd.sampling import Run
from thermograd.testing import assert_mean
from thermograd.testing.contracts.gaussian import stationary_covariance
from thermograd.testing.contracts.probe import Setting, read_step
from thermograd.testing.contracts.targets import harmonic
from thermograd.thermostat import Thermostat

pytestmark = pytest.mark.statistical

T, M, GAMMA = 0.7, 1.3, 0.8
K = (1.7, 0.4)
COPIES, WALKERS = 8, 256  # coordinates of each stiffness; walkers on the Gaussian
FAST = 0.8  # share of U that a method with two time scales calls fast


def claims_of(name: str) -> Claims:
    return integrators.get(name).claims


SAMPLING = ("langevin", "adaptive langevin", "overdamped")
SAMPLERS = [name for name in integrators.names() if claims_of(name).dynamics in SAMPLING]
THERMOSTAT = Thermostat(feedback=0.05, driving_noise=1.06, initial_xi=0.8)  # ξ is 0.8 on average


def is_adaptive(name: str) -> bool:
    return claims_of(name).dynamics == "adaptive langevin"


def small_step(name: str) -> float:
    """Return a step whose bias is a tenth of what is resolved on the quartic."""
    claims = claims_of(name)
    if not integrators.get(name).has_momenta:
        return 0.02 if claims.is_metropolised else 0.006
    return 0.1 if claims.is_metropolised or claims.stationary_order == 2 else 0.006


def split(name: str, slow: Potential, fast: Potential, whole: Potential) -> Potential:
    """Return U as the method wants it: whole, or in two terms."""
    if None in claims_of(name).gradients_per_step:
        return whole
    return Sum({"slow": slow, "fast": fast})


def sampled(name: str, target: Potential, start: list[Tensor], h: float, **settings: Any) -> Run:
    return thermograd.sample(
        target,
        name,
        walkers=len(start[0]),
        step_size=h,
        temperature=T,
        mass=M,
        friction=GAMMA,
        thermostat=THERMOSTAT if is_adaptive(name) else None,
        start=start,
        compile=False,
        progress=False,
        **settings,
    )


def law_on_gaussian(name: str, h: float) -> dict[str, float]:
    """Return ⟨q²⟩ for each stiffness, and the kinetic temperature."""
    exact = {"soft": T / K[1], "stiff": T / K[0], "kinetic": T}
    if claims_of(name).is_metropolised or is_adaptive(name):
        return exact
    slow, fast = (((share * K[0], 0.0), (0.0, share * K[1])) for share in (1 - FAST, FAST))
    integrator = integrators.get(name)
    setting = Setting(integrator, harmonic(slow, fast), friction=GAMMA, temperature=T, mass=M)
    law = stationary_covariance(read_step(setting, h)).diagonal()
    found = {"stiff": float(law[0]), "soft": float(law[1])}
    return {
        **exact,
        **found,
        **({"kinetic": float(law[2:4].mean()) / M} if law.numel() > 3 else {}),
    }


@pytest.mark.parametrize("name", SAMPLERS)
def test_sampler_has_its_own_law_on_a_gaussian(name: str, seed: int) -> None:
    has_momenta = integrators.get(name).has_momenta
    h = 0.4 if has_momenta else 0.4**2 / (2 * M)
    h = small_step(name) if is_adaptive(name) else h
    spectrum = K * COPIES
    whole = Harmonic(spectrum)
    slow, fast = (Harmonic(tuple(s * k for k in spectrum)) for s in (1 - FAST, FAST))
    time, walkers = (240, WALKERS) if has_momenta else (110, WALKERS)
    if is_adaptive(name):
        time, walkers = 40, 4 * WALKERS
    start = whole.sample(walkers, T, seeded(seed + 100), torch.float64)
    steps = math.ceil(time / h)
    target = split(name, slow, fast, whole)
    run = sampled(
        name, target, start, h, steps=steps, burn_in=steps // 6, every=steps // 200, seed=seed
    )
    law = law_on_gaussian(name, h)
    squares = torch.from_numpy(run.posterior["q"]).square().mean(1)  # (W, d)
    assert_mean(squares[:, 0::2].mean(1), law["stiff"], resolves=0.03 * law["stiff"])
    assert_mean(squares[:, 1::2].mean(1), law["soft"], resolves=0.05 * law["soft"])
    if has_momenta and not is_adaptive(name):
        kinetic = torch.from_numpy(run.sample_stats["kinetic_temperature"]).double().mean(1)
        assert_mean(kinetic, law["kinetic"], resolves=0.03 * T)


@pytest.mark.parametrize("name", SAMPLERS)
def test_sampler_has_the_law_of_a_quartic(name: str, seed: int) -> None:
    d, h = 2 * COPIES, small_step(name)
    whole = Quartic(1.3, 0.4, d)
    slow, fast = (Quartic(s * 1.3, s * 0.4, d) for s in (1 - FAST, FAST))
    start = whole.sample(1024, T, seeded(seed + 200), torch.float64)
    steps = math.ceil(15 / h) if h < 0.1 else 200
    target = split(name, slow, fast, whole)
    settings = {"steps": steps, "burn_in": steps // 4, "every": steps // 40, "seed": seed}
    q = torch.from_numpy(sampled(name, target, start, h, **settings).posterior["q"])
    law = whole.expectations(T)
    assert_mean(q.pow(2).mean((1, 2)), law["q^2"], resolves=0.04 * law["q^2"])
    assert_mean(q.pow(4).mean((1, 2)), law["q^4"], resolves=0.08 * law["q^4"])
