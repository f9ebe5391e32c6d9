"""Smoothed objectives in closed form: exact values, identities, the equations they solve."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from thermograd import _errors as errors
from thermograd.objectives import (
    critical_field,
    field_strength,
    local_entropy,
    local_entropy_gradient,
    moreau_envelope,
    proximal_map,
    quadratic_control,
    smoothed_harmonic,
)
from thermograd.potentials import Harmonic

X = torch.linspace(-1.9, 2.3, 9, dtype=torch.float64)
GAMMA, T = 0.37, 0.7
STIFFNESS = 1.3


def wavy(x: Tensor) -> Tensor:
    """0.8 (1 − cos 1.3x) + 0.2x²; its curvature lies in [0.4 − 1.352, 0.4 + 1.352]."""
    return 0.8 * (1 - torch.cos(1.3 * x)) + 0.2 * x**2


def wavy_slope(x: Tensor) -> Tensor:
    return 0.8 * 1.3 * torch.sin(1.3 * x) + 0.4 * x


def wavy_curvature(x: Tensor) -> Tensor:
    return 0.8 * 1.3**2 * torch.cos(1.3 * x) + 0.4


STEEPEST = 0.8 * 1.3**2 + 0.4


def tilted(x: Tensor) -> Tensor:
    """Convex, with its minimum at 0, and not symmetric."""
    return torch.exp(x) - x


def envelope(x: Tensor, gamma: float = GAMMA) -> Tensor:
    return moreau_envelope(wavy, wavy_slope, wavy_curvature, x, scope=gamma)


def derivative(f: Callable[[Tensor], Tensor], x: Tensor, h: float, order: int) -> Tensor:
    """Return a derivative by central differences of sixth order."""
    weights = {1: (-1, 9, -45, 0, 45, -9, 1), 2: (2, -27, 270, -490, 270, -27, 2)}[order]
    scale = {1: 60 * h, 2: 180 * h * h}[order]
    steps = range(-3, 4)
    return sum((w * f(x + k * h) for w, k in zip(weights, steps, strict=True)), 0 * x) / scale


def test_local_entropy_of_a_quadratic() -> None:
    smooth, offset = smoothed_harmonic(Harmonic((STIFFNESS,)), GAMMA, T)
    value = local_entropy(lambda y: STIFFNESS * y**2 / 2, X, scope=GAMMA, temperature=T)
    expected = smooth.energy([X.unsqueeze(1)]) + offset
    torch.testing.assert_close(value, expected, rtol=1e-12, atol=1e-13)
    by_hand = STIFFNESS * X**2 / 2 / (1 + GAMMA * STIFFNESS) + T / 2 * math.log(
        1 + GAMMA * STIFFNESS
    )
    torch.testing.assert_close(expected, by_hand, rtol=1e-14, atol=1e-15)


def test_smoothing_for_two_times_is_smoothing_for_their_sum() -> None:
    start = Harmonic((0.4, 1.3, 5.9))
    once, offset = smoothed_harmonic(start, 0.37 + 0.21, T)
    half, first = smoothed_harmonic(start, 0.37, T)
    twice, second = smoothed_harmonic(half, 0.21, T)
    assert twice.spectrum == pytest.approx(once.spectrum, rel=1e-14)
    assert first + second == pytest.approx(offset, rel=1e-14)


def test_smoothing_flattens_at_the_rate_of_the_formula() -> None:
    """In time γ a curvature k becomes 1/(1/k + γ), however steep: none is above 1/γ."""
    steep, _ = smoothed_harmonic(Harmonic((0.3, 1e8)), 0.01)
    assert steep.spectrum == pytest.approx((0.3 / 1.003, 100.0), rel=1e-5)


@pytest.mark.parametrize("energy", [wavy, tilted])
def test_three_formulas_for_the_gradient_agree(energy: Callable[[Tensor], Tensor]) -> None:
    x = X.clone().requires_grad_()
    (by_value,) = torch.autograd.grad(local_entropy(energy, x, scope=GAMMA, temperature=T).sum(), x)
    by_mean = local_entropy_gradient(energy, X, scope=GAMMA, temperature=T)
    points, weights = np.polynomial.hermite_e.hermegauss(90)
    y = X.unsqueeze(1) + math.sqrt(GAMMA * T) * torch.from_numpy(points)
    leaf = y.clone().requires_grad_()
    (slope,) = torch.autograd.grad(energy(leaf).sum(), leaf)
    w = torch.from_numpy(weights) * torch.exp(-energy(y) / T)
    by_force = (w * slope).sum(1) / w.sum(1)
    torch.testing.assert_close(by_value, by_mean, rtol=1e-10, atol=1e-11)
    torch.testing.assert_close(by_force, by_mean, rtol=1e-10, atol=1e-11)


def test_local_entropy_solves_its_equation() -> None:
    def u(x: Tensor, gamma: float = GAMMA) -> Tensor:
        return local_entropy(wavy, x, scope=gamma, temperature=T)

    in_time = derivative(lambda g: torch.stack([u(X, float(t)) for t in g]), gammas(), 1e-2, 1)[0]
    space, curve = derivative(u, X, 3e-2, 1), derivative(u, X, 3e-2, 2)
    torch.testing.assert_close(in_time, -(space**2) / 2 + T / 2 * curve, rtol=1e-6, atol=1e-8)


def gammas() -> Tensor:
    return torch.tensor([GAMMA], dtype=torch.float64)


def test_envelope_solves_the_equation_without_viscosity() -> None:
    in_time = derivative(
        lambda g: torch.stack([envelope(X, float(t)) for t in g]), gammas(), 1e-2, 1
    )[0]
    space = derivative(envelope, X, 1e-2, 1)
    torch.testing.assert_close(in_time, -(space**2) / 2, rtol=1e-6, atol=1e-8)


def test_limits_of_local_entropy() -> None:
    small = local_entropy(wavy, X, scope=1e-9, temperature=T)
    torch.testing.assert_close(small, wavy(X), rtol=1e-7, atol=1e-8)


def test_cold_local_entropy_is_the_envelope_and_a_term_for_the_width() -> None:
    """f_γ = u + (T/2) log(1 + γ U''(y*)) + O(T²), so wide valleys lie lower."""
    y = proximal_map(wavy_slope, wavy_curvature, X, scope=GAMMA)

    def rest(heat: float) -> Tensor:
        width = heat / 2 * torch.log1p(GAMMA * wavy_curvature(y))
        return local_entropy(wavy, X, scope=GAMMA, temperature=heat) - envelope(X) - width

    assert (rest(0.04).abs() < 0.27 * rest(0.08).abs() + 1e-9).all()
    assert rest(0.04).abs().max() < 2e-4


def test_proximal_identities() -> None:
    y = proximal_map(wavy_slope, wavy_curvature, X, scope=GAMMA)
    slope = derivative(envelope, X, 1e-2, 1)
    torch.testing.assert_close(slope, (X - y) / GAMMA, rtol=1e-9, atol=1e-10)
    torch.testing.assert_close(slope, wavy_slope(y), rtol=1e-9, atol=1e-10)
    assert (envelope(X) <= wavy(X)).all()


def test_envelope_of_a_quadratic_is_its_cold_local_entropy() -> None:
    smooth, offset = smoothed_harmonic(Harmonic((STIFFNESS,)), GAMMA)
    value = moreau_envelope(
        lambda y: STIFFNESS * y**2 / 2,
        lambda y: STIFFNESS * y,
        lambda y: STIFFNESS + 0 * y,
        X,
        scope=GAMMA,
    )
    assert offset == 0
    torch.testing.assert_close(value, smooth.energy([X.unsqueeze(1)]), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("gamma", "where"), [(0.1, -0.045), (1.0, -0.245), (5.0, -0.4325)])
def test_hj_keeps_a_minimiser_that_local_entropy_shifts(gamma: float, where: float) -> None:
    """The thesis says local entropy keeps it too; errata, E36."""

    def slope(x: float) -> float:
        at = torch.tensor(x, dtype=torch.float64)
        return local_entropy_gradient(tilted, at, scope=gamma, temperature=1.0).item()

    low, high = -0.6, 0.2
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    assert low == pytest.approx(where, abs=6e-4)
    zero = torch.zeros((), dtype=torch.float64)
    y = proximal_map(lambda q: q.exp() - 1, lambda q: q.exp(), zero, scope=gamma)
    assert y.item() == 0.0


@pytest.mark.parametrize("gamma", [0.1, 0.37, 0.9])
def test_semi_concavity(gamma: float) -> None:
    """Neither is curved upwards by more than 1/(1/C + γ), with viscosity or without."""
    fine = torch.linspace(-4, 4, 401, dtype=torch.float64)
    bound = 1 / (1 / STEEPEST + gamma)
    for u in (
        lambda x: local_entropy(wavy, x, scope=gamma, temperature=T),
        lambda x: envelope(x, gamma),
    ):
        assert derivative(u, fine, 1e-2, 2).max() <= bound + 1e-8
    origin = torch.zeros(1, dtype=torch.float64)  # where the bound is attained
    assert derivative(lambda x: envelope(x, gamma), origin, 1e-2, 2).item() == pytest.approx(
        bound, rel=1e-6
    )


def test_proximal_map_beyond_the_critical_scope() -> None:
    with pytest.raises(errors.ConvergenceError, match=r"γ = 0\.9"):
        proximal_map(lambda q: -2 * q, lambda q: 0 * q - 2, X, scope=0.9)


@pytest.mark.parametrize("bad", [0.0, -0.3, math.nan, math.inf])
def test_scopes_and_temperatures_out_of_range(bad: float) -> None:
    with pytest.raises(errors.ParameterError, match="scope"):
        local_entropy(wavy, X, scope=bad, temperature=T)
    with pytest.raises(errors.ParameterError, match="temperature"):
        local_entropy(wavy, X, scope=GAMMA, temperature=bad)
    with pytest.raises(errors.ParameterError, match="scope"):
        smoothed_harmonic(Harmonic((STIFFNESS,)), bad)


def test_control_of_a_quadratic() -> None:
    k, c = 0.7, 1.9

    def r(t: Tensor) -> Tensor:
        return torch.tensor([quadratic_control(k, c, float(s)) for s in t], dtype=torch.float64)

    t = torch.tensor([0.2, 0.6, 1.4], dtype=torch.float64)
    torch.testing.assert_close(
        derivative(r, t, 1e-2, 1), -2 * k * r(t) - r(t) ** 2, rtol=1e-8, atol=0
    )
    assert quadratic_control(k, c, 0.0) == c
    assert quadratic_control(1e-9, c, 0.6) == pytest.approx(quadratic_control(0.0, c, 0.6))
    smooth, _ = smoothed_harmonic(Harmonic((c,)), 0.6)
    assert quadratic_control(0.0, c, 0.6) == pytest.approx(smooth.spectrum[0], rel=1e-14)


def test_control_improves_on_sgd_by_half_its_effort() -> None:
    """E V(controlled) ≤ E V(free) − ½ E ∫|a|², from the exact equations of the second moment."""
    k, c, horizon, steps, start = 0.7, 1.9, 1.4, 20_000, 2.3
    free = controlled = start**2
    effort, dt = 0.0, horizon / steps
    for n in range(steps):
        r = quadratic_control(k, c, horizon - (n + 0.5) * dt)
        effort += r**2 * controlled * dt
        controlled += dt * (-2 * (k + r) * controlled + 2 * T)
        free += dt * (-2 * k * free + 2 * T)
    assert c * controlled / 2 <= c * free / 2 - effort / 2
    assert effort > 0.1


def test_field() -> None:
    assert critical_field(0.3, 5) == pytest.approx(0.3 * math.sqrt(15))
    for num in (7, 400):
        for i in (0, 3, 50):
            tau = num * (math.exp(-i / 20) - 0.5)
            assert field_strength(i, 20) == pytest.approx(math.sqrt(1 + 2 * tau / num), rel=1e-12)
    with pytest.raises(errors.ParameterError, match="3 or more"):
        critical_field(0.3, 2)
