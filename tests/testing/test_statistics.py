"""The honest assertion on means: its three outcomes and its false-alarm rate."""

import math

import pytest
import torch
from scipy import stats
from torch import Tensor

from thermograd._errors import ParameterError
from thermograd.noise import seeded
from thermograd.testing import assert_mean


def spread(num_walkers: int, mean: float, standard_error: float) -> Tensor:
    """Return values with exactly this mean and standard error of the mean."""
    x = torch.linspace(-2, 2, num_walkers, dtype=torch.float64)
    return mean + x / x.std() * standard_error * math.sqrt(num_walkers)


def test_mean_within_the_band_passes() -> None:
    assert_mean(spread(64, 0.503, 0.002), 0.5, resolves=0.02)


def test_mean_outside_the_band_fails_with_its_size_in_standard_errors() -> None:
    message = r"mean is off by \+0\.0894 = \+10\.4 standard errors"
    with pytest.raises(AssertionError, match=message):
        assert_mean(spread(64, 0.5894, 0.0894 / 10.4), 0.5, resolves=0.2)


def test_weak_data_fail_with_what_they_can_see() -> None:
    error = 0.062 / float(stats.t.isf(5e-7, 63))
    message = "promises to see a bias of 0.01, can see 0.062; run 39 times longer or promise less"
    with pytest.raises(AssertionError, match=message):
        assert_mean(spread(64, 0.5, error), 0.5, resolves=0.01)


@pytest.mark.parametrize(("factor", "passes"), [(1.01, True), (0.99, False)])
def test_promise_is_kept_to_the_last_percent(factor: float, passes: bool) -> None:
    can_see = 0.004 * float(stats.t.isf(5e-7, 63))
    values = spread(64, 0.5, 0.004)
    if passes:
        assert_mean(values, 0.5, resolves=factor * can_see)
    else:
        with pytest.raises(AssertionError, match="too weak to tell"):
            assert_mean(values, 0.5, resolves=factor * can_see)


def test_mean_off_is_reported_even_if_data_are_weak() -> None:
    with pytest.raises(AssertionError, match=r"mean is off by -0\.5"):
        assert_mean(spread(64, 0.0, 0.05), 0.5, resolves=0.01)


@pytest.mark.parametrize("num_walkers", [32, 100, 2000])
@pytest.mark.parametrize(("factor", "passes"), [(0.999, True), (1.001, False)])
def test_threshold_is_student_t(num_walkers: int, factor: float, passes: bool) -> None:
    threshold = float(stats.t.isf(5e-7, num_walkers - 1))
    values = spread(num_walkers, 0.5 + 0.01 * factor * threshold, 0.01)
    outcome = "passes"
    try:
        assert_mean(values, 0.5, resolves=0.2)
    except AssertionError:
        outcome = "fails"
    assert outcome == ("passes" if passes else "fails")


def test_float32_values_are_averaged_in_float64() -> None:
    assert_mean(spread(64, 1e4, 0.5).float(), 1e4, resolves=5.0)


def autoregressive(num_walkers: int, num_steps: int, generator: torch.Generator) -> Tensor:
    """Return time averages of stationary AR(1) chains with coefficient 0.9 and mean 0."""
    shape = (num_steps, num_walkers)
    xi = torch.randn(shape, generator=generator, dtype=torch.float64)
    x, total = xi[0], torch.zeros(num_walkers, dtype=torch.float64)
    for noise in xi:
        x = 0.9 * x + math.sqrt(1 - 0.81) * noise
        total += x
    return total / num_steps


def is_alarm(values: Tensor) -> bool:
    try:
        assert_mean(values, 0.0, resolves=50.0, false_alarm=0.02)
    except AssertionError:
        return True
    return False


@pytest.mark.statistical
def test_false_alarms_are_as_rare_as_stated_on_correlated_chains() -> None:
    num_trials = 4000
    chains = autoregressive(32 * num_trials, 60, seeded(0)).reshape(num_trials, 32)
    alarms = sum(is_alarm(values) for values in chains)
    low, high = stats.binom.ppf([5e-7, 1 - 5e-7], num_trials, 0.02)
    assert low <= alarms <= high  # 80 ± 43: sees a rate of 0.9% or 3.1%


def lost_walker() -> Tensor:
    values = spread(64, 0.5, 0.01)
    values[3] = math.nan
    return values


def test_lost_walkers_fail() -> None:
    with pytest.raises(AssertionError, match="1 of 64 walkers are not finite"):
        assert_mean(lost_walker(), 0.5, resolves=0.2)


@pytest.mark.parametrize(
    ("values", "resolves", "false_alarm", "message"),
    [
        (spread(31, 0.5, 0.01), 0.2, 1e-6, r"'per_walker' .* W ≥ 32; got \(31,\)"),
        (torch.zeros(64, 2), 0.2, 1e-6, r"'per_walker' .* got \(64, 2\)"),
        (torch.full((64,), 0.5), 0.2, 1e-6, "as if they shared their noise"),
        (spread(64, 0.5, 0.01), 0.0, 1e-6, "'resolves' of assert_mean"),
        (spread(64, 0.5, 0.01), 0.2, 2.0, "'false_alarm' of assert_mean"),
    ],
)
def test_misuse_is_refused(
    values: Tensor, resolves: float, false_alarm: float, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        assert_mean(values, 0.5, resolves=resolves, false_alarm=false_alarm)
