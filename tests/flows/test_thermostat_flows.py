"""The maps C, D, E and F, walker by walker and at the edges of their range."""

import math

import pytest
import torch
from torch import Tensor

from thermograd._errors import EvaluationError
from thermograd.flows import alphabet
from thermograd.geometry import Flat
from thermograd.noise import Tape
from thermograd.state import Env, Force, Part
from thermograd.thermostat import Coupling, Thermostat

MASS, TEMPERATURE, EPSILON, SIGMA, TIME = 1.3, 0.7, 0.4, 0.9, 0.55
SHAPES = ((3, 2), (4,))


def values(*shape: int) -> Tensor:
    return torch.sin(1.7 * torch.arange(1, math.prod(shape) + 1, dtype=torch.float64)).reshape(
        shape
    )


def make(xi: list[float], coupling: Coupling = "plain", sigma: float = SIGMA) -> Part:
    shapes = [(len(xi), *shape) for shape in SHAPES]
    return Part(
        q=[values(*shape) for shape in shapes],
        p=[values(*shape) + k for k, shape in enumerate(shapes)],
        force=Force([]),
        geometry=Flat(),
        temperature=TEMPERATURE,
        mass=MASS,
        thermostat=Thermostat(EPSILON, sigma, coupling),
        scalars={"xi": torch.tensor(xi, dtype=torch.float64)},
    )


def run(letter: str, part: Part, dt: float = TIME, draws: int = 1) -> list[Tensor]:
    """Apply a flow and return the noise it was offered."""
    zeta = [values(*p.shape) - 0.3 for p in part.p]

    def evaluate(part: Part, component: str | None = None) -> None:
        raise AssertionError("no map of the thermostat needs a force")

    tape = Tape([zeta] * draws)
    alphabet()[letter](part, dt, Env(tape, evaluate))
    assert tape.position == draws
    return zeta


@pytest.mark.parametrize(("coupling", "c"), [("plain", 1.0), ("scaled", EPSILON)])
def test_friction_scales_each_walker_by_its_own_xi(coupling: Coupling, c: float) -> None:
    part, xi = make([0.8, -0.5], coupling), [0.8, -0.5]
    before = [p.clone() for p in part.p]
    run("C", part, draws=0)
    for p, old in zip(part.p, before, strict=True):
        for w in range(2):
            torch.testing.assert_close(
                p[w], old[w] * math.exp(-c * xi[w] * TIME), rtol=1e-15, atol=0
            )


def test_driving_noise_has_its_amplitude() -> None:
    part = make([0.8, -0.5])
    before = [p.clone() for p in part.p]
    zeta = run("D", part)
    for p, old, z in zip(part.p, before, zeta, strict=True):
        expected = old + SIGMA * math.sqrt(MASS * TIME) * z
        torch.testing.assert_close(p, expected, rtol=1e-15, atol=1e-15)


def test_variable_answers_to_the_kinetic_energy_of_all_tensors() -> None:
    part = make([0.8, -0.5])
    run("E", part, draws=0)
    num = 10  # 3·2 + 4 momenta
    for w, start in enumerate((0.8, -0.5)):
        energy = sum(float((p[w] ** 2).sum()) for p in part.p) / MASS
        expected = start + TIME * EPSILON * (energy - num * TEMPERATURE)
        assert float(part.scalars["xi"][w]) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("coupling", ["plain", "scaled"])
@pytest.mark.parametrize("xi", [1.2, 1e-3, 1e-9, 1e-300, 0.0, -1e-9, -1e-3, -1.2, -40.0])
def test_bath_is_exact_for_xi_of_either_sign(xi: float, coupling: Coupling) -> None:
    part = make([xi], coupling)
    before = [p.clone() for p in part.p]
    zeta = run("F", part)
    rate = xi * (EPSILON if coupling == "scaled" else 1.0)
    x = 2 * rate * TIME
    variance = SIGMA**2 * MASS * TIME * (-math.expm1(-x) / x if x != 0 else 1.0)
    for p, old, z in zip(part.p, before, zeta, strict=True):
        expected = math.exp(-rate * TIME) * old + math.sqrt(variance) * z
        torch.testing.assert_close(p, expected, rtol=1e-14, atol=0)


def test_bath_at_xi_0_is_the_driving_noise() -> None:
    bath, noise = make([0.0]), make([0.0])
    run("F", bath)
    run("D", noise)
    for a, b in zip(bath.p, noise.p, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-15, atol=0)


@pytest.mark.parametrize(("letter", "like"), [("F", "C"), ("D", None)])
def test_without_driving_noise_nothing_is_drawn(letter: str, like: str | None) -> None:
    part, other = make([0.8, -0.5], sigma=0.0), make([0.8, -0.5], sigma=0.0)
    run(letter, part, draws=0)
    if like is not None:
        run(like, other, draws=0)
    for a, b in zip(part.p, other.p, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-15, atol=0)


@pytest.mark.parametrize("letter", ["C", "D", "E", "F"])
def test_one_walker_may_do_without_its_axis(letter: str) -> None:
    draws = int(letter in "DF")
    part, bare = make([-0.35]), make([-0.35])
    bare.q, bare.p = [q[0] for q in bare.q], [p[0] for p in bare.p]
    run(letter, part, draws=draws)
    run(letter, bare, draws=draws)
    for a, b in zip(part.p, bare.p, strict=True):
        assert torch.equal(a[0], b)
    assert torch.equal(part.scalars["xi"], bare.scalars["xi"])


@pytest.mark.parametrize("letter", ["C", "D", "E", "F"])
def test_a_part_without_thermostat_is_refused(letter: str) -> None:
    part = make([0.3])
    part.thermostat = None
    with pytest.raises(EvaluationError, match=f"the map {letter} needs to know ε and σ"):
        run(letter, part)


def test_a_part_without_variable_is_refused() -> None:
    part = make([0.3])
    part.scalars.clear()
    with pytest.raises(EvaluationError, match="the map E needs the thermostat variable"):
        run("E", part)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"feedback": 0.0}, "'feedback' of Thermostat must be a finite number above 0; got 0"),
        ({"driving_noise": -0.1}, "'driving_noise' of Thermostat must be a finite number, 0"),
        ({"coupling": "loose"}, "must be one of 'plain', 'scaled'; got 'loose'"),
        ({"initial_xi": math.nan}, "'initial_xi' of Thermostat must be a finite number"),
    ],
)
def test_constants_out_of_range(settings: dict[str, float], message: str) -> None:
    good = {"feedback": 0.4, "driving_noise": 0.9}
    with pytest.raises(ValueError, match=message):
        Thermostat(**{**good, **settings})  # pyright: ignore[reportArgumentType]
