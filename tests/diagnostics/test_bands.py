"""Quantiles of Student's t and χ², and the band of a mean of squares."""

import math
from collections.abc import Callable

import mpmath
import pytest
from scipy import stats

from thermograd._errors import ParameterError
from thermograd._quantiles import chi2_quantile, student_t_quantile
from thermograd.diagnostics.temperature import chi2_band

TAILS = [0.5, 0.3, 0.05, 5e-7, 1e-10]


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("num_degrees", [2, 3.5, 31, 199, 201, 9_999, 10_001, 1e8])
def test_student_t_quantile_agrees_with_scipy(num_degrees: float, tail: float) -> None:
    expected = float(stats.t.isf(tail, num_degrees))
    assert student_t_quantile(tail, num_degrees) == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("probability", [*TAILS, 0.9])
@pytest.mark.parametrize("num_degrees", [0.3, 2, 31, 1_000, 9_999, 10_001, 1e5])
def test_chi2_quantile_agrees_with_scipy(
    num_degrees: float, probability: float, upper: bool
) -> None:
    expected = float((stats.chi2.isf if upper else stats.chi2.ppf)(probability, num_degrees))
    got = chi2_quantile(probability, num_degrees, upper=upper)
    assert got == pytest.approx(expected, rel=1e-9, abs=0)


def lower_tail(x: float, num_degrees: float) -> float:
    """Integrate the density of χ² up to x with 30 digits; for large ν only."""
    with mpmath.workdps(30):
        a, end = mpmath.mpf(num_degrees) / 2, mpmath.mpf(x) / 2
        log_norm = mpmath.loggamma(a)
        sd = mpmath.sqrt(a)
        edges = [end - k * sd for k in (16, 8, 4, 2, 1, 0.5, 0)]
        density = lambda t: mpmath.exp((a - 1) * mpmath.log(t) - t - log_norm)  # noqa: E731
        return float(str(mpmath.quad(density, edges)))


@pytest.mark.parametrize("probability", [5e-7, 1e-10])
@pytest.mark.parametrize("num_degrees", [1e4, 1e6, 1e8])
def test_chi2_quantile_keeps_the_far_tail_where_scipy_loses_it(
    num_degrees: float, probability: float
) -> None:
    x = chi2_quantile(probability, num_degrees)
    assert lower_tail(x, num_degrees) == pytest.approx(probability, rel=1e-10, abs=0)


@pytest.mark.parametrize("false_alarm", [0.05, 1e-6])
@pytest.mark.parametrize("num_degrees", [3, 64, 5_000])
def test_band_holds_a_mean_of_squares_with_the_stated_probability(
    num_degrees: int, false_alarm: float
) -> None:
    low, high = chi2_band(num_degrees, 0.7, false_alarm)
    law = stats.chi2(num_degrees, scale=0.7 / num_degrees)
    outside = float(law.cdf(low)), float(law.sf(high))
    assert outside == pytest.approx((false_alarm / 2, false_alarm / 2), rel=1e-7, abs=0)


def test_band_of_very_many_degrees_is_the_normal_one() -> None:
    low, high = chi2_band(1e10, 0.7, 0.05)
    half = 0.7 * math.sqrt(2 / 1e10) * 1.959963984540054
    assert (low, high) == pytest.approx((0.7 - half, 0.7 + half), abs=1e-9)


def test_band_at_zero_temperature_is_a_point() -> None:
    assert chi2_band(50, 0.0) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: chi2_band(0, 0.7), "'num_degrees' of chi2_band"),
        (lambda: chi2_band(50, -0.7), "'temperature' of chi2_band"),
        (lambda: chi2_band(50, 0.7, 2.0), "'false_alarm' of chi2_band must be between 0 and 1"),
        (lambda: chi2_quantile(2.0, 50), "'probability' of chi2_quantile"),
        (lambda: student_t_quantile(0.7, 50), "'tail' of student_t_quantile"),
        (lambda: student_t_quantile(0.2, math.nan), "'num_degrees' of student_t_quantile"),
    ],
)
def test_bad_input_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()
