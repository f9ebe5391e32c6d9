"""Welch's interval: against scipy, and what it refuses."""

import pytest
from scipy import stats

from thermograd._errors import ParameterError
from thermograd.racing.comparison import Comparison, welch

FIRST = [0.93, 0.97, 0.91, 0.985, 0.96]
SECOND = [0.71, 0.84, 0.79]


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.995])
def test_interval_is_that_of_scipy(confidence: float) -> None:
    expected = stats.ttest_ind(FIRST, SECOND, equal_var=False).confidence_interval(confidence)
    assert welch(FIRST, SECOND, confidence) == pytest.approx((expected.low, expected.high))


def test_several_intervals_are_wider() -> None:
    expected = stats.ttest_ind(FIRST, SECOND, equal_var=False).confidence_interval(0.98)
    assert welch(FIRST, SECOND, 0.9, 5) == pytest.approx((expected.low, expected.high))


def test_runs_without_any_spread_leave_no_width() -> None:
    assert welch([0.75, 0.75], [0.5, 0.5, 0.5], 0.9) == (0.25, 0.25)


@pytest.mark.parametrize(("first", "second"), [([0.9], SECOND), (FIRST, [0.7])])
def test_one_run_has_no_interval(first: list[float], second: list[float]) -> None:
    with pytest.raises(ParameterError, match="at least two runs"):
        welch(first, second, 0.95)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        welch(FIRST, SECOND, confidence)


def test_comparison_names_the_better_one_only_if_zero_is_outside() -> None:
    assert "b is better" in str(Comparison("a", "b", -0.13, -0.2, -0.06, 0.95))
    assert "not resolved" in str(Comparison("a", "b", 0.13, -0.02, 0.28, 0.95))
