"""Adaptive Langevin methods against literal twins; their stationary law, noisy forces or not."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from thermograd import integrators
from thermograd.flows import alphabet
from thermograd.noise import Gaussian, Tape, seeded
from thermograd.potentials.base import Evaluator, Potential
from thermograd.potentials.harmonic import Harmonic
from thermograd.potentials.noisy import NoisyForce
from thermograd.sampling.engine import Averages, make_part, simulate
from thermograd.state import Env, Params, Part
from thermograd.testing import assert_mean
from thermograd.testing.contracts.probe import Setting
from thermograd.testing.contracts.quadrature import noise_rule
from thermograd.testing.contracts.stationary import bias
from thermograd.testing.contracts.targets import coupled_harmonic, single_quartic
from thermograd.testing.contracts.taylor import Generator, monomials
from thermograd.thermostat import Coupling, Thermostat

from ..reference import adaptive_langevin as twins

TWINS = {
    "adaptive_langevin": twins.bacdedcab,
    "bafefab": twins.bafefab,
    "badcecdab": twins.badcecdab,
    "baefeab": twins.baefeab,
    "sgnht": twins.sgnht,
}
DRAWS = {"adaptive_langevin": 2, "bafefab": 2, "badcecdab": 2, "baefeab": 1, "sgnht": 1}
MASS, TEMPERATURE, H, STEPS = 1.3, 0.7, 0.21, 12
STIFFNESS = (0.6, 1.4, 0.9)


class Quartic:
    """U = ½ Σ k q² + ¼ Σ q⁴ over a matrix (1, 1, 2) and a vector (1, 1)."""

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        flat = torch.cat([t.flatten(1) for t in q], 1)
        f = -(torch.tensor(STIFFNESS, dtype=flat.dtype) * flat + flat**3)
        out[0].copy_(f[:, :2].view(-1, 1, 2))
        out[1].copy_(f[:, 2:])
        return -0.5 * (f * flat).sum(1)


@pytest.mark.parametrize("coupling", ["plain", "scaled"])
@pytest.mark.parametrize("name", sorted(TWINS))
def test_trajectory_is_that_of_the_literal_twin(name: str, coupling: Coupling) -> None:
    thermostat = Thermostat(0.4, 0.9, coupling, initial_xi=-0.3)
    zeta = np.random.default_rng(5).standard_normal((DRAWS[name] * STEPS, 3))
    start = torch.tensor([[0.8, -0.5, 0.3]], dtype=torch.float64)
    method = integrators.get(name)
    part = make_part(
        method,
        [start[:, :2].view(1, 1, 2), start[:, 2:]],
        temperature=TEMPERATURE,
        mass=MASS,
        thermostat=thermostat,
    )
    rows = torch.from_numpy(zeta)
    tape = Tape([[row[:2].view(1, 1, 2), row[2:].view(1, 1)] for row in rows])
    env = Env(tape, Evaluator(Quartic()))
    stiffness = np.array(STIFFNESS)
    problem = twins.Problem(
        force=lambda q: -(stiffness * q + q**3),
        eps=0.4,
        sigma=0.9,
        c=0.4 if coupling == "scaled" else 1.0,
        temperature=TEMPERATURE,
        mass=MASS,
        noise=iter(zeta),
    )
    q, p, xi = start[0].numpy(), np.zeros(3), -0.3
    for _ in range(STEPS):
        method.step(part, H, env)
        q, p, xi = TWINS[name](problem, q, p, xi, H)
    found = torch.cat([t.flatten() for t in (*part.q, *part.p, part.scalars["xi"])])
    assert found.numpy() == pytest.approx(np.concatenate([q, p, [xi]]), rel=1e-12)


@pytest.mark.parametrize("coupling", ["plain", "scaled"])
def test_generator_keeps_the_stated_law(coupling: Coupling) -> None:
    # ∫ L f dρ = 0 for all monomials of degree up to 3 in two positions, two momenta and ξ
    thermostat = Thermostat(0.4, 0.9, coupling)
    assert largest_drift(thermostat, thermostat.variance_xi(TEMPERATURE)) < 1e-13


@pytest.mark.parametrize(("coupling", "wrong"), [("plain", 0.7), ("scaled", 0.28)])
def test_generator_does_not_keep_the_law_of_the_other_coupling(
    coupling: Coupling, wrong: float
) -> None:
    assert largest_drift(Thermostat(0.4, 0.9, coupling), wrong) > 0.01


def largest_drift(thermostat: Thermostat, variance: float) -> float:
    method = integrators.get("adaptive_langevin")
    setting = Setting(method, coupled_harmonic(), thermostat=thermostat)
    generator = Generator(setting)
    points, weights = noise_rule(5, most=10_000)
    positions = torch.linalg.cholesky(TEMPERATURE * torch.linalg.inv(setting.target.quadratic))
    scale = torch.block_diag(
        positions,
        math.sqrt(TEMPERATURE * setting.mass) * torch.eye(2, dtype=torch.float64),
        torch.tensor([[math.sqrt(variance)]], dtype=torch.float64),
    )
    states = points @ scale.T
    states[:, 4] += thermostat.mean_xi(TEMPERATURE)
    powers = torch.cartesian_prod(*[torch.arange(4)] * 5)
    found: list[float] = []
    for row in powers[(powers.sum(1) > 0) & (powers.sum(1) <= 3)]:
        image = generator.apply({tuple(int(k) for k in row): 1.0})
        values = monomials(list(image), states) @ weights
        found.append(float(values @ torch.tensor(list(image.values()), dtype=torch.float64)))
    return max(abs(value) for value in found)


@pytest.mark.parametrize(
    "thermostat",
    [Thermostat(0.4, 0.9), Thermostat(0.4, 0.9, "scaled"), Thermostat(0.8, 1.6)],
    ids=["plain", "scaled", "strong"],
)
def test_biases_of_the_orders_compare_as_their_pages_say(thermostat: Thermostat) -> None:
    def both(name: str) -> tuple[float, float]:
        setting = Setting(integrators.get(name), single_quartic(), thermostat=thermostat)
        return bias(setting, 0.1, only=0), bias(setting, 0.1)

    published, exchanged = both("adaptive_langevin"), both("badcecdab")
    exact, single = both("bafefab"), both("baefeab")
    assert 1.4 < published[0] / exchanged[0] < 6.7
    assert 2.5 < published[1] / exchanged[1] < 4.4
    assert exact[0] < published[0]
    assert exact[1] < published[1]
    assert single[0] < 0.55 * published[0]
    assert single[1] < published[1]


SPECTRUM = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.4, 1.6)
HEAT, EPSILON, SIGMA, STEP = 0.8, 0.5, 1.0, 0.05


def run(potential: Potential, coupling: Coupling, seed: int, name: str) -> Averages:
    k = torch.tensor(SPECTRUM, dtype=torch.float64)

    def observe(part: Part) -> dict[str, Tensor]:
        xi = part.scalars["xi"]
        return {
            "xi": xi,
            "xi^2": xi**2,
            "virial": (k * part.q[0] ** 2).mean(1),
        }

    exact = Harmonic(SPECTRUM).sample(128, HEAT, seeded(seed + 1))
    return simulate(
        potential,
        name,
        exact,
        steps=6000,
        step_size=STEP,
        noise=Gaussian(seeded(seed + 2)),
        temperature=HEAT,
        mass=MASS,
        thermostat=Thermostat(EPSILON, SIGMA, coupling, initial_xi=0.6),
        burn_in=1000,
        observe=observe,
    )


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["adaptive_langevin", "baefeab"])
@pytest.mark.parametrize(
    ("coupling", "mean", "variance"), [("plain", 0.625, 0.4), ("scaled", 1.25, 0.8)]
)
def test_stationary_law(
    coupling: Coupling, mean: float, variance: float, name: str, seed: int
) -> None:
    # ⟨ξ⟩ = σ²/(2cT) and Var ξ = εT/c, for ten degrees of freedom
    averages = run(Harmonic(SPECTRUM), coupling, seed, name).mean
    assert_mean(averages["xi"], mean, resolves=0.05)
    assert_mean(averages["xi^2"], mean**2 + variance, resolves=0.15)
    assert_mean(averages["virial"], HEAT, resolves=0.03)


@pytest.mark.statistical
def test_temperature_is_right_under_force_noise_that_is_not_known(seed: int) -> None:
    # noise of sd s in every force acts like σ² + h s²/m; Langevin dynamics would heat up
    sd = 2.5
    noisy = NoisyForce(Harmonic(SPECTRUM), sd, seeded(seed + 3))
    averages = run(noisy, "plain", seed, "baefeab").mean
    friction = (SIGMA**2 + STEP * sd**2 / MASS) / (2 * HEAT)
    assert_mean(averages["xi"], friction, resolves=0.05)
    assert_mean(averages["virial"], HEAT, resolves=0.03)


@pytest.mark.statistical
def test_kinetic_temperature_is_exact_where_the_variable_answers(seed: int) -> None:
    # whatever the step size, the noise and the order of the other maps
    h, method, flows = 0.4, integrators.get("adaptive_langevin"), alphabet()
    noisy = NoisyForce(Harmonic(SPECTRUM), 1.7, seeded(seed + 3))
    part = make_part(
        method,
        Harmonic(SPECTRUM).sample(128, HEAT, seeded(seed + 1), torch.float64),
        temperature=HEAT,
        mass=MASS,
        thermostat=Thermostat(EPSILON, SIGMA),
    )
    env = Env(Gaussian(seeded(seed + 2)), Evaluator(noisy))
    burn_in, steps, total = 300, 1000, torch.zeros(128, dtype=torch.float64)
    for step in range(burn_in + steps):
        for letter in "BACD":
            flows[letter](part, h / 2, env)
        if step >= burn_in:
            total += part.p[0].square().mean(1) / MASS
        flows["E"](part, h, env)
        for letter in "DCAB":
            flows[letter](part, h / 2, env)
    assert_mean(total / steps, HEAT, resolves=0.003)


@pytest.mark.parametrize("make", [integrators.get, integrators.resolve])
def test_a_method_with_a_thermostat_asks_for_one(make: Callable[[str], object]) -> None:
    method = make("adaptive_langevin")
    assert isinstance(method, integrators.Integrator)
    with pytest.raises(ValueError, match="needs to know ε and σ"):
        make_part(method, [torch.zeros(2, 3)])
