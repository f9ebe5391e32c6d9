"""Smoothing on a grid against closed forms: quadratics, |x|, a rough function by quadrature."""

import math

import pytest
import torch
from scipy.special import erfcx
from torch import Tensor

from thermograd import _errors as errors
from thermograd.objectives import (
    gaussian_smoothed,
    hopf_cole,
    hopf_lax,
    local_entropy,
    smoothed_harmonic,
)
from thermograd.potentials import Harmonic

X = torch.linspace(-9.0, 9.0, 1801, dtype=torch.float64)
INSIDE = X.abs() < 3
GAMMA, T, K = 0.37, 0.7, 1.3


def close(found: Tensor, expected: Tensor, atol: float) -> None:
    torch.testing.assert_close(found[INSIDE], expected[INSIDE], rtol=0, atol=atol)


def test_local_entropy_of_a_quadratic() -> None:
    smooth, offset = smoothed_harmonic(Harmonic((K,)), GAMMA, T)
    found = hopf_cole(X, 0.5 * K * X**2, scope=GAMMA, temperature=T)
    close(found, smooth.energy([X[:, None]]) + offset, 1e-12)


def test_local_entropy_of_the_absolute_value() -> None:
    # E exp(−a|x + sξ|) = ½ exp(−x²/(2s²)) (erfcx((as² − x)/(s√2)) + erfcx((as² + x)/(s√2)))
    s2, a = GAMMA * T, 1.3 / T
    s = math.sqrt(s2)
    both = [erfcx(((a * s2 + sign * X) / (s * math.sqrt(2))).numpy()) for sign in (-1, 1)]
    gauss = torch.exp(-(X**2) / (2 * s2))
    expected = -T * torch.log(0.5 * gauss * torch.as_tensor(both[0] + both[1]))
    # the kink costs the trapezoidal rule an error of second order in the spacing
    close(hopf_cole(X, 1.3 * X.abs(), scope=GAMMA, temperature=T), expected, 1e-4)


def test_local_entropy_of_a_wavy_function_is_that_by_quadrature() -> None:
    def wavy(x: Tensor) -> Tensor:
        return 0.8 * torch.cos(3.1 * x) + 0.2 * x**2

    found = hopf_cole(X, wavy(X), scope=GAMMA, temperature=T)
    close(found, local_entropy(wavy, X, scope=GAMMA, temperature=T), 1e-11)


def test_envelope_of_a_quadratic() -> None:
    found, where = hopf_lax(X, 0.5 * K * X**2, scope=GAMMA)
    shrunk = X / (1 + GAMMA * K)
    half_spacing = 0.5 * float(X[1] - X[0])
    close(where, shrunk, half_spacing * 1.001)
    # the cost has curvature k + 1/γ, and y is off by half a spacing at most
    close(found, 0.5 * K * X**2 / (1 + GAMMA * K), 0.5 * (K + 1 / GAMMA) * half_spacing**2 * 1.001)
    assert bool((found >= 0.5 * K * X * shrunk - 1e-12)[INSIDE].all())


def test_envelope_of_the_absolute_value_is_huber() -> None:
    slope = 1.3
    huber = torch.where(
        X.abs() <= GAMMA * slope, X**2 / (2 * GAMMA), slope * X.abs() - GAMMA * slope**2 / 2
    )
    half_spacing = 0.5 * float(X[1] - X[0])
    found, where = hopf_lax(X, slope * X.abs(), scope=GAMMA)
    close(found, huber, half_spacing**2 / (2 * GAMMA) * 1.001)
    soft = X.sign() * (X.abs() - GAMMA * slope).clamp(min=0)
    close(where, soft, half_spacing * 1.001)


def test_heat_of_a_quadratic_and_a_cosine() -> None:
    found = gaussian_smoothed(X, 0.5 * K * X**2 + torch.cos(2.3 * X), scope=GAMMA)
    expected = 0.5 * K * (X**2 + GAMMA) + math.exp(-(2.3**2) * GAMMA / 2) * torch.cos(2.3 * X)
    close(found, expected, 1e-12)


def test_smoothings_compose() -> None:
    values = 0.8 * torch.cos(3.1 * X) + 0.2 * X**2
    halves = hopf_cole(X, values, scope=GAMMA / 2, temperature=T)
    twice = hopf_cole(X, halves, scope=GAMMA / 2, temperature=T)
    close(twice, hopf_cole(X, values, scope=GAMMA, temperature=T), 1e-11)


def test_local_entropy_lies_between_envelope_and_heat() -> None:
    values = 0.8 * torch.cos(3.1 * X) + 0.2 * X**2
    warm = hopf_cole(X, values, scope=GAMMA, temperature=T)
    mean = gaussian_smoothed(X, values, scope=GAMMA * T)
    assert bool((warm <= mean + 1e-12)[INSIDE].all())  # Jensen
    cold = hopf_cole(X, values, scope=GAMMA, temperature=0.002)
    assert float((cold - hopf_lax(X, values, scope=GAMMA)[0])[INSIDE].abs().max()) < 0.01


def test_bad_grids_are_refused() -> None:
    with pytest.raises(errors.ParameterError, match="evenly"):
        hopf_lax(X**3, X, scope=GAMMA)
    with pytest.raises(errors.ParameterError, match="values"):
        gaussian_smoothed(X, X[1:], scope=GAMMA)
    with pytest.raises(errors.ParameterError, match="spacing"):
        gaussian_smoothed(X, X, scope=1e-6)
    with pytest.raises(errors.ParameterError, match="temperature"):
        hopf_cole(X, X, scope=GAMMA, temperature=0.0)
