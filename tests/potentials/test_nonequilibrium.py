"""Facts of the non-equilibrium double well (§5.6 and erratum E14 of its source)."""

import math

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.integrate import quad, solve_ivp
from scipy.optimize import root

from thermograd._errors import ParameterError
from thermograd.noise import seeded
from thermograd.potentials import NonEquilibrium

Array = NDArray[np.float64]


def flow(target: NonEquilibrium, x: Array) -> Array:
    q = torch.tensor(x, dtype=torch.float64).reshape(1, 2)
    out = torch.empty_like(q)
    target.force([q], out=[out])
    return out[0].numpy()


def divergence(field: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return ∇·field per row; row i of the field depends on row i of x only."""
    first = torch.autograd.grad(field[:, 0].sum(), x, retain_graph=True)[0][:, 0]
    return first + torch.autograd.grad(field[:, 1].sum(), x, retain_graph=True)[0][:, 1]


def points() -> torch.Tensor:
    x = torch.randn((50, 2), generator=seeded(0), dtype=torch.float64)
    return x.requires_grad_()


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(
    ("strength", "point"),
    [
        (0.0, (1.0, 0.0)),
        (0.25, (0.9801, 0.1947)),
        (0.5, (0.9024, 0.3888)),
        (0.75, (0.2997, 0.2859)),
    ],
)
def test_critical_points_are_where_the_source_has_them(
    strength: float, point: tuple[float, float], sign: int
) -> None:
    target = NonEquilibrium(strength)
    near = sign * np.array(point)
    found = root(lambda x: flow(target, x), near, tol=1e-12).x
    np.testing.assert_allclose(found, near, rtol=0, atol=6e-5)


@pytest.mark.parametrize("strength", [1.05, 1.5, 4.0])
def test_only_the_origin_is_critical_under_a_strong_current(strength: float) -> None:
    axis = torch.linspace(-4, 4, 401, dtype=torch.float64)
    x = torch.cartesian_prod(axis, axis)
    x = x[x.norm(dim=1) > 0.1]
    out = torch.empty_like(x)
    NonEquilibrium(strength).force([x], out=[out])
    assert float((out.norm(dim=1) / x.norm(dim=1)).min()) > 0.01


@pytest.mark.parametrize(("strength", "is_saddle"), [(0.77, True), (0.79, False)])
def test_origin_turns_from_saddle_to_centre_at_the_predicted_strength(
    strength: float, is_saddle: bool
) -> None:
    step = 1e-6
    target = NonEquilibrium(strength)
    columns = [flow(target, step * e) / step for e in np.eye(2)]
    eigenvalues = np.linalg.eigvals(np.stack(columns, axis=1))
    assert (abs(eigenvalues.imag).max() < 1e-6) == is_saddle
    assert (strength < math.exp(-0.25)) == is_saddle


def test_probability_current_has_no_divergence() -> None:
    x, target = points(), NonEquilibrium(0.75)
    stationary = target.current([x]) * torch.exp(-target.energy([x])).unsqueeze(1)
    got = divergence(stationary, x)
    torch.testing.assert_close(got, torch.zeros_like(got), rtol=0, atol=1e-14)


def fokker_planck_residual(temperature: float) -> torch.Tensor:
    """Return ∇·(f ρ − T∇ρ) for ρ = exp(−Φ/T); 0 where ρ is stationary."""
    x, target = points(), NonEquilibrium(0.75)
    rho = torch.exp(-target.energy([x]) / temperature)
    (slope,) = torch.autograd.grad(rho.sum(), x, create_graph=True)
    (drift,) = torch.autograd.grad(-target.energy([x]).sum(), x, create_graph=True)
    flux = (drift + target.current([x])) * rho.unsqueeze(1) - temperature * slope
    return divergence(flux, x)


def test_law_is_stationary_at_unit_temperature() -> None:
    got = fokker_planck_residual(1.0)
    torch.testing.assert_close(got, torch.zeros_like(got), rtol=0, atol=1e-13)


def test_law_is_not_stationary_at_another_temperature() -> None:
    assert float(fokker_planck_residual(0.7).abs().max()) > 0.01


def test_current_itself_has_divergence() -> None:
    x = torch.tensor([[0.7, 0.4]], dtype=torch.float64, requires_grad=True)
    got = float(divergence(NonEquilibrium(2.0).current([x]), x))
    assert got == pytest.approx(2 * 0.43979, abs=2e-5)


@pytest.mark.parametrize("strength", [-0.4, 0.75, 3.0])
def test_rotation_has_its_closed_form(strength: float) -> None:
    along = quad(lambda x: math.exp(-((x * x - 1) ** 2) / 4), -np.inf, np.inf)[0]
    expected = 2 * math.pi * strength / (along * math.sqrt(2 * math.pi))
    got = NonEquilibrium(strength).expectations(1.0)["rotation"]
    assert got == pytest.approx(expected, rel=1e-9)


def test_current_does_not_overflow_far_out() -> None:
    far = torch.tensor([[1e4, 3.0], [2.0, -1e4]])
    assert bool((NonEquilibrium(0.75).current([far]) == 0).all())


@pytest.mark.parametrize("strength", [0.9, 2.5])
def test_flow_without_noise_turns_but_has_no_limit_cycle(strength: float) -> None:
    target = NonEquilibrium(strength)
    path = solve_ivp(
        lambda _, x: flow(target, x), (0.0, 150.0), [0.8, 0.5], rtol=1e-8, max_step=0.1
    ).y
    radius = np.hypot(*path)
    turns = np.ptp(np.unwrap(np.arctan2(path[1], path[0]))) / (2 * math.pi)
    quarter = len(radius) // 4
    outer = [radius[i * quarter : (i + 1) * quarter].max() for i in range(4)]
    assert turns > 5
    assert outer == sorted(outer, reverse=True)


@pytest.mark.parametrize("verb", ["expectations", "sample"])
def test_law_is_refused_where_it_is_unknown(verb: str) -> None:
    target = NonEquilibrium(0.75)
    with pytest.raises(ParameterError, match=f"the 'temperature' of NonEquilibrium.{verb} must"):
        target.expectations(0.7) if verb == "expectations" else target.sample(3, 0.7, seeded(0))


def test_law_is_known_at_any_temperature_without_current() -> None:
    assert NonEquilibrium(0.0).expectations(0.7)["q2^2"] == pytest.approx(0.7, rel=1e-12)
