"""Schedules: values from their formulas, limits, refused input."""

import math
import warnings
from collections.abc import Callable

import pytest

from thermograd._errors import ParameterError
from thermograd.schedules import (
    Constant,
    Cyclical,
    Exponential,
    Geometric,
    Polynomial,
    PowerDecay,
    Schedule,
    as_schedule,
)


@pytest.mark.parametrize(
    ("schedule", "step", "expected"),
    [
        (Constant(0.3), 0, 0.3),
        (Constant(0.3), 500, 0.3),
        (Polynomial(0.2, 4.0, 0.75), 0, 0.2 / 2**1.5),
        (Polynomial(0.2, 4.0, 0.75), 12, 0.2 / 8),
        (Exponential(0.3, 0.02), 0, 0.3),
        (Exponential(0.3, math.log(2) / 10), 30, 0.3 / 8),
        (Exponential(0.3, 0.0), 99, 0.3),
        (Geometric(0.4, 0.5), 0, 0.4),
        (Geometric(0.4, 0.5), 3, 0.05),
        (Geometric(0.4, 0.5, floor=0.07), 3, 0.07),
        (PowerDecay(0.9, 0.1, 8), 0, 0.9),
        (PowerDecay(0.9, 0.1, 8), 2, 0.7),
        (PowerDecay(0.9, 0.1, 8, power=2), 2, 0.1 + 0.8 * 0.75**2),
        (PowerDecay(0.9, 0.1, 8), 99, 0.1),
        (Cyclical(0.4, 6), 0, 0.4),
        (Cyclical(0.4, 6), 2, 0.3),
        (Cyclical(0.4, 6), 3, 0.2),
        (Cyclical(0.4, 6), 4, 0.1),
        (Cyclical(0.4, 6), 6, 0.4),
        (Cyclical(0.4, 6), 604, 0.1),
        (Cyclical(0.4, 6, floor=0.2), 3, 0.3),
    ],
)
def test_value_is_that_of_the_formula(schedule: Schedule, step: int, expected: float) -> None:
    assert schedule(step) == pytest.approx(expected, rel=1e-14)


def test_cycle_averages_to_half_its_peak_plus_its_discretisation() -> None:
    cycle = Cyclical(0.4, 50)
    mean = sum(cycle(step) for step in range(50)) / 50
    assert mean == pytest.approx(0.2 + 0.2 / 50, rel=1e-13)


def test_phase_starts_anew_with_each_cycle() -> None:
    assert [Cyclical(0.4, 4).phase(step) for step in (0, 3, 4, 9)] == [0.0, 0.75, 0.0, 0.25]


@pytest.mark.parametrize(
    ("power", "reason"), [(0.5, "their squares sum to infinity"), (1.2, "their sum is finite")]
)
def test_power_outside_robbins_monro_warns(power: float, reason: str) -> None:
    with pytest.warns(UserWarning, match=f"power {power}.*{reason}") as caught:
        Polynomial(0.2, 4.0, power)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("power", [0.51, 1.0])
def test_power_within_robbins_monro_does_not_warn(power: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Polynomial(0.2, 4.0, power)


def test_number_becomes_a_constant() -> None:
    assert as_schedule(0.3) == Constant(0.3)


def test_callable_is_its_own_schedule() -> None:
    def linear(step: int) -> float:
        return 0.5 * step

    assert as_schedule(linear) is linear


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Constant(math.nan), "'value' of Constant must be a finite number; got nan"),
        (lambda: Polynomial(-0.2, 4.0, 0.75), "'a' of Polynomial"),
        (lambda: Polynomial(0.2, 0.0, 0.75), "'b' of Polynomial"),
        (lambda: Polynomial(0.2, 4.0, -0.75), "'power' of Polynomial"),
        (lambda: Exponential(math.inf, 0.2), "'start' of Exponential"),
        (lambda: Exponential(0.3, -0.2), "'rate' of Exponential"),
        (lambda: Cyclical(0.0, 6), "'peak' of Cyclical"),
        (lambda: Cyclical(0.4, 0), "'period' of Cyclical must be an integer above 0"),
        (lambda: Cyclical(0.4, 6, floor=-0.1), "'floor' of Cyclical"),
        (lambda: Cyclical(0.4, 6, floor=0.5), "'floor' of Cyclical must be below the peak 0.4"),
        (lambda: Geometric(0.0, 0.5), "'start' of Geometric"),
        (lambda: Geometric(0.4, 1.1), r"'factor' of Geometric must be in \(0, 1\]"),
        (lambda: Geometric(0.4, 0.5, floor=-0.1), "'floor' of Geometric"),
        (lambda: PowerDecay(math.nan, 0.1, 8), "'start' of PowerDecay"),
        (lambda: PowerDecay(0.9, 0.1, 0), "'steps' of PowerDecay"),
        (lambda: PowerDecay(0.9, 0.1, 8, power=0.0), "'power' of PowerDecay"),
        (lambda: as_schedule(math.nan), "'value' of as_schedule"),
        (lambda: as_schedule("0.3"), "'value' of as_schedule"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_bad_input_is_refused(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()
