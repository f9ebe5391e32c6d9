"""simulate and make_part: what is averaged, counted, started and refused."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from thermograd._errors import ClaimError, EvaluationError, ParameterError, UnknownNameError
from thermograd.integrators import get
from thermograd.noise import Gaussian, Tape, ThreePoint, seeded
from thermograd.potentials import Harmonic
from thermograd.sampling.engine import make_part, simulate
from thermograd.schedules import Polynomial
from thermograd.state import Part
from thermograd.testing import assert_mean

from .worlds import GAMMA, M, T

OMEGA_SQUARED = 1.7  # stiffness of the well
TARGET = Harmonic((OMEGA_SQUARED,))
SILENT = Tape([])
START = [torch.tensor([[0.6], [-1.4]], dtype=torch.float64)]


def position(part: Part) -> dict[str, Tensor]:
    return {"q": part.q[0][:, 0]}


def square(part: Part) -> dict[str, Tensor]:
    return {"q^2": part.q[0][:, 0] ** 2}


@pytest.mark.parametrize("burn_in", [0, 3])
def test_average_weighs_every_step_by_its_size(burn_in: int) -> None:
    """Gradient descent on a harmonic well: qₙ = Π (1 − hₖ ω²/m) q₀."""
    sizes = [0.31, 0.12, 0.27, 0.08, 0.19, 0.36, 0.22]
    factor, total, weighted = 1.0, 0.0, 0.0
    for step, h in enumerate(sizes):
        factor *= 1 - h * OMEGA_SQUARED / M
        if step >= burn_in:
            total += h
            weighted += h * factor
    found = simulate(
        TARGET,
        "gradient_descent",
        START,
        steps=len(sizes) - burn_in,
        step_size=lambda step: sizes[step],
        noise=SILENT,
        mass=M,
        burn_in=burn_in,
        observe=position,
    )
    torch.testing.assert_close(found.mean["q"], START[0][:, 0] * (weighted / total))
    torch.testing.assert_close(found.part.q[0], START[0] * factor)
    assert found.gradients == {None: len(sizes)}


def test_schedule_is_asked_for_every_step_in_order() -> None:
    asked: list[int] = []

    def schedule(step: int) -> float:
        asked.append(step)
        return 0.1

    simulate(
        TARGET, "gradient_descent", START, steps=4, burn_in=3, step_size=schedule, noise=SILENT
    )
    assert asked == list(range(7))


def test_progress_counts_steps_of_the_burn_in_too() -> None:
    seen: list[int] = []
    simulate(
        TARGET,
        "gradient_descent",
        START,
        steps=3,
        burn_in=2,
        step_size=0.1,
        noise=SILENT,
        progress=seen.append,
    )
    assert seen == [1, 2, 3, 4, 5]


def test_observables_are_averaged_in_float64() -> None:
    start = [tensor.float() for tensor in START]
    found = simulate(
        TARGET,
        "gradient_descent",
        start,
        steps=2,
        step_size=0.1,
        noise=SILENT,
        observe=position,
    )
    assert found.mean["q"].dtype is torch.float64
    assert found.part.q[0].dtype is torch.float32


def test_start_is_copied() -> None:
    before = START[0].clone()
    found = simulate(TARGET, "gradient_descent", START, steps=2, step_size=0.1, noise=SILENT)
    assert torch.equal(START[0], before)
    assert not torch.equal(found.part.q[0], before)


def test_momenta_start_at_the_temperature() -> None:
    """One Verlet step from p = √(mT) ξ, written out."""
    h, xi = 0.3, torch.tensor([[0.9], [-0.7]], dtype=torch.float64)
    found = simulate(
        TARGET,
        "velocity_verlet",
        START,
        steps=1,
        step_size=h,
        noise=Tape([[xi]]),
        temperature=T,
        mass=M,
    )
    half = math.sqrt(M * T) * xi - h / 2 * OMEGA_SQUARED * START[0]
    q = START[0] + h * half / M
    torch.testing.assert_close(found.part.q[0], q)
    torch.testing.assert_close(found.part.p[0], half - h / 2 * OMEGA_SQUARED * q)
    assert found.gradients == {None: 2}


def test_without_temperature_momenta_start_at_rest() -> None:
    found = simulate(TARGET, "OBA", START, steps=1, step_size=0.3, noise=SILENT, mass=M)
    torch.testing.assert_close(found.part.p[0], -0.3 * OMEGA_SQUARED * START[0])


@pytest.mark.parametrize("word", ["BAOAB", "OBABO", "ABOBA", "OABAO", "BAOA"])
@pytest.mark.statistical
def test_harmonic_well_at_a_large_step(word: str, seed: int) -> None:
    """⟨q²⟩ in the stationary law of each word; h²ω² = 0.6, sees a bias of 3%."""
    h, walkers = math.sqrt(0.6 * M / OMEGA_SQUARED), 512
    s = 0.6 / 4
    law = {"OBABO": 1 / (1 - s), "OABAO": 1 - s, "BAOAB": 1.0, "ABOBA": 1.0, "BAOA": 1.0}
    expected = T / OMEGA_SQUARED
    found = simulate(
        TARGET,
        word,
        TARGET.sample(walkers, T, seeded(seed), torch.float64),
        steps=1500,
        burn_in=50,
        step_size=h,
        noise=Gaussian(seeded(seed + 1000)),
        friction=GAMMA,
        temperature=T,
        mass=M,
        observe=square,
    )
    assert_mean(found.mean["q^2"], expected * law[word], resolves=0.03 * expected)


def decreasing_step_law(schedule: Polynomial, steps: int, burn_in: int) -> tuple[float, float]:
    """Return E of the weighted and of the plain average of q² under SGLD, from q = 0.

    ⟨q²⟩ ← (1 − hω²/m)² ⟨q²⟩ + 2Th/m, exactly.
    """
    second, total, weighted, plain = 0.0, 0.0, 0.0, 0.0
    for step in range(burn_in + steps):
        h = schedule(step)
        second = (1 - h * OMEGA_SQUARED / M) ** 2 * second + 2 * T * h / M
        if step >= burn_in:
            total += h
            weighted += h * second
            plain += second / steps
    return weighted / total, plain


@pytest.mark.statistical
def test_sgld_with_decreasing_steps(seed: int) -> None:
    """Sees 3%; an average that forgot the weights would be off by more."""
    schedule, steps, burn_in = Polynomial(a=2.0, b=2.0, power=0.9), 60, 2
    expected, plain = decreasing_step_law(schedule, steps, burn_in)
    assert abs(plain - expected) > 0.06 * expected
    found = simulate(
        TARGET,
        "sgld",
        [torch.zeros((16_384, 1), dtype=torch.float64)],
        steps=steps,
        burn_in=burn_in,
        step_size=schedule,
        noise=Gaussian(seeded(seed)),
        temperature=T,
        mass=M,
        observe=square,
    )
    assert_mean(found.mean["q^2"], expected, resolves=0.03 * expected)


def test_decreasing_steps_forget_their_bias() -> None:
    """The law of a long run of SGLD nears T/ω²; that of a fixed step does not."""
    schedule = Polynomial(a=0.9, b=2.0, power=0.6)
    exact = T / OMEGA_SQUARED
    errors = [
        decreasing_step_law(schedule, steps, 20)[0] / exact - 1 for steps in (100, 1000, 10_000)
    ]
    assert errors[0] > 2 * errors[1] > 4 * errors[2] > 0


def run(**changes: Any) -> object:
    settings: dict[str, Any] = {
        "method": "BAOAB",
        "start": START,
        "steps": 3,
        "step_size": 0.1,
        "noise": SILENT,
        "friction": 0.0,
    }
    return simulate(TARGET, **{**settings, **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps": 0}, "the 'steps' of simulate must be an integer above 0; got 0"),
        ({"steps": 2.5}, "the 'steps' of simulate must be an integer above 0"),
        ({"burn_in": -2}, "the 'burn_in' of simulate must be an integer, 0 or above; got -2"),
        ({"burn_in": 2.5}, "the 'burn_in' of simulate must be an integer, 0 or above"),
        ({"step_size": 0.0}, "the 'step_size' of simulate must be a finite number above 0"),
        ({"step_size": math.nan}, "the 'step_size' of simulate must be a finite number above 0"),
        (
            {"step_size": lambda step: 0.1 - 0.1 * step},
            "the 'step_size' of simulate at step 1 must be a finite number above 0; got 0.0",
        ),
        ({"friction": -0.3}, "the 'friction' of make_part must be a finite number, 0 or above"),
        ({"friction": math.nan}, "the 'friction' of make_part must be a finite number, 0"),
        ({"temperature": -0.3}, "the 'temperature' of make_part must be a finite number, 0"),
        ({"temperature": math.inf}, "the 'temperature' of make_part must be a finite number, 0"),
        ({"mass": 0.0}, "the 'mass' of make_part must be a finite number above 0; got 0.0"),
        ({"start": []}, "the 'start' of make_part must be a list with a tensor in it"),
    ],
)
def test_settings_outside_their_range(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError) as found:
        run(**changes)
    assert said in str(found.value)


def test_infinite_friction_is_allowed() -> None:
    part = make_part(get("baoab"), START, friction=math.inf)
    assert part.friction == math.inf


def test_unknown_method_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'baoab'"):
        run(method="baobab")


def test_noise_that_breaks_the_claim_is_refused_before_the_first_step() -> None:
    with pytest.raises(ClaimError, match="claims an exact law"):
        run(method="mala", noise=ThreePoint(seeded(0)), temperature=T)


@pytest.mark.parametrize("method", ["mala", "hmc"])
def test_acceptance_tests_need_a_temperature(method: str) -> None:
    noise = Gaussian(seeded(0))
    with pytest.raises(ParameterError, match=r"the 'temperature' of .* must be above 0"):
        run(method=method, noise=noise)


def test_split_methods_need_a_split_target() -> None:
    with pytest.raises(EvaluationError, match=r"asks for the 'slow' term .* not split into terms"):
        run(method="r_respa")


def test_averaging_needs_a_fast_tensor() -> None:
    with pytest.raises(EvaluationError, match=r"first tensor slowly .* the part has 1 tensor"):
        run(method="ra1")


def test_part_starts_at_rest_with_what_the_method_asks_for() -> None:
    part = make_part(get("leimkuhler_matthews"), START, temperature=T, mass=M)
    assert part.p == []
    assert [tensor.tolist() for tensor in part.aux["xi"]] == [[[0.0], [0.0]]]
    assert not part.force.is_fresh
    part = make_part(get("baoab"), START)
    assert part.p[0].tolist() == [[0.0], [0.0]]
