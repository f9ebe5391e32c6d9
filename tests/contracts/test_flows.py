"""What every flow in the registry must satisfy, as maps of means and covariances.

On a harmonic target a flow is x ← M x + S ξ. It solves dx = F x dt + G dW for a vector field F and
a diffusion G Gᵀ that this file states for each letter.
"""

import math
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from thermograd.flows import alphabet
from thermograd.integrators import Claims
from thermograd.state import Env, Part
from thermograd.testing.contracts.probe import Affine, Setting, read_step
from thermograd.testing.contracts.targets import coupled_harmonic
from thermograd.thermostat import Thermostat

FRICTION, TEMPERATURE, MASS = 0.8, 0.7, 1.3
XI, SIGMA, EPSILON = -0.6, 0.9, 0.4
THERMOSTAT = Thermostat(EPSILON, SIGMA, "scaled")
EYE, ZERO = torch.eye(2, dtype=torch.float64), torch.zeros(2, 2, dtype=torch.float64)


@dataclass(frozen=True)
class Alone:
    """An integrator that is one flow, seen on (q, p) alone; a thermostat variable starts at XI."""

    letter: str
    has_momenta: bool = True
    auxiliaries: tuple[str, ...] = ()

    @property
    def claims(self) -> Claims:
        return Claims()

    def init(self, part: Part, env: Env) -> None:
        pass

    def step(self, part: Part, h: float, env: Env) -> None:
        part.thermostat = THERMOSTAT
        part.scalars["xi"] = torch.full_like(part.q[0][:, 0], XI)
        alphabet()[self.letter](part, h, env)
        part.scalars.clear()


@dataclass(frozen=True)
class Law:
    """The equation that a flow solves, on the state (q, p)."""

    field: Tensor
    diffusion: Tensor
    has_inverse: bool


def block(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    return torch.cat([torch.cat([a, b], 1), torch.cat([c, d], 1)])


NOTHING = block(ZERO, ZERO, ZERO, ZERO)
STIFFNESS = coupled_harmonic().quadratic
LAWS = {
    "A": Law(block(ZERO, EYE / MASS, ZERO, ZERO), NOTHING, has_inverse=True),
    "B": Law(block(ZERO, ZERO, -STIFFNESS, ZERO), NOTHING, has_inverse=True),
    "O": Law(
        block(ZERO, ZERO, ZERO, -FRICTION * EYE),
        block(ZERO, ZERO, ZERO, 2 * FRICTION * MASS * TEMPERATURE * EYE),
        has_inverse=False,
    ),
    "C": Law(block(ZERO, ZERO, ZERO, -EPSILON * XI * EYE), NOTHING, has_inverse=True),
    "D": Law(NOTHING, block(ZERO, ZERO, ZERO, SIGMA**2 * MASS * EYE), has_inverse=False),
    "E": Law(NOTHING, NOTHING, has_inverse=True),
    "F": Law(
        block(ZERO, ZERO, ZERO, -EPSILON * XI * EYE),
        block(ZERO, ZERO, ZERO, SIGMA**2 * MASS * EYE),
        has_inverse=False,
    ),
}


def read(
    letter: str, time: float, friction: float = FRICTION, temperature: float = TEMPERATURE
) -> Affine:
    setting = Setting(Alone(letter), coupled_harmonic(), friction, temperature, MASS)
    return read_step(setting, time)


def covariance(flow: Affine) -> Tensor:
    return flow.noise @ flow.noise.T


def same(a: Tensor, b: Tensor, within: float = 1e-14) -> bool:
    return float((a - b).abs().max()) <= within


LETTERS = sorted(alphabet())


def test_every_flow_has_its_law_here() -> None:
    assert set(LAWS) == set(LETTERS)


@pytest.mark.parametrize("letter", LETTERS)
def test_identity_at_time_0(letter: str) -> None:
    flow = read(letter, 0.0)
    assert torch.equal(flow.matrix, torch.eye(4, dtype=torch.float64))
    assert not covariance(flow).any()


@pytest.mark.parametrize("letter", LETTERS)
def test_semigroup(letter: str) -> None:
    first, then, whole = read(letter, 0.3), read(letter, 0.45), read(letter, 0.75)
    assert same(then.matrix @ first.matrix, whole.matrix)
    both = then.matrix @ covariance(first) @ then.matrix.T + covariance(then)
    assert same(both, covariance(whole))


@pytest.mark.parametrize("letter", LETTERS)
def test_derivative_at_0(letter: str) -> None:
    width = 1e-6
    flow, law = read(letter, width), LAWS[letter]
    eye = torch.eye(4, dtype=torch.float64)
    assert same((flow.matrix - eye) / width, law.field, within=2e-6)
    assert same(covariance(flow) / width, law.diffusion, within=2e-6)


@pytest.mark.parametrize("letter", LETTERS)
def test_exact_mean_for_any_time(letter: str) -> None:
    expected = torch.linalg.matrix_exp(1.9 * LAWS[letter].field)
    assert same(read(letter, 1.9).matrix, expected)


@pytest.mark.parametrize("letter", [letter for letter in LETTERS if LAWS[letter].has_inverse])
def test_inverse_is_the_flow_of_negative_time(letter: str) -> None:
    product = read(letter, -0.6).matrix @ read(letter, 0.6).matrix
    assert same(product, torch.eye(4, dtype=torch.float64))


@pytest.mark.parametrize("letter", LETTERS)
def test_volume_factor(letter: str) -> None:
    expected = math.exp(0.6 * float(LAWS[letter].field.trace()))
    found = float(torch.linalg.det(read(letter, 0.6).matrix))
    assert found == pytest.approx(expected, rel=1e-13)


def test_bath_decays_without_temperature_and_draws_nothing() -> None:
    flow = read("O", 0.6, temperature=0.0)
    decay = math.exp(-FRICTION * 0.6)
    assert same(flow.matrix, block(EYE, ZERO, ZERO, decay * EYE), within=1e-15)
    assert flow.noise.shape == (4, 0)


def test_bath_without_friction_does_nothing_and_draws_nothing() -> None:
    flow = read("O", 0.6, friction=0.0)
    assert torch.equal(flow.matrix, torch.eye(4, dtype=torch.float64))
    assert flow.noise.shape == (4, 0)


def test_bath_keeps_the_law_of_the_momenta() -> None:
    flow = read("O", 0.6)
    heat = block(ZERO, ZERO, ZERO, MASS * TEMPERATURE * EYE)
    assert same(flow.matrix @ heat @ flow.matrix.T + covariance(flow), heat)


def test_bath_at_infinite_friction_draws_the_momenta_afresh() -> None:
    flow = read("O", 0.6, friction=math.inf)
    assert same(flow.matrix, block(EYE, ZERO, ZERO, ZERO), within=0.0)
    assert same(covariance(flow), block(ZERO, ZERO, ZERO, MASS * TEMPERATURE * EYE))
