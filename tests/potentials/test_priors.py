"""Priors against their closed forms, quadrature, and the integrals that define them."""

import math
from collections.abc import Callable

import pytest
import torch
from scipy import integrate, special
from torch import Tensor

from thermograd._errors import ParameterError, UnknownNameError
from thermograd.potentials import priors
from thermograd.potentials._expint import scaled_e1
from thermograd.potentials.priors import (
    Flat,
    Gaussian,
    Horseshoe,
    Laplace,
    PerParameter,
    Prior,
    Walls,
)

DENSITIES = [
    Gaussian(0.7),
    Gaussian.from_precision(2.3),
    Laplace(0.3),
    Horseshoe(0.4),
    Horseshoe(1.7, smoothing=0.5),
]
ALL = [*DENSITIES, Flat(), Walls(-0.6, 1.3, 2.5, 3.0), Walls(upper=0.4, factor=0.7)]
POINTS = (-30.0, -2.3, -0.62, -0.01, 0.0007, 0.2, 1.31, 7.7)


def energy_at(prior: Prior, x: float) -> float:
    return float(prior.energy(torch.tensor(x, dtype=torch.float64)))


@pytest.mark.parametrize("prior", DENSITIES, ids=str)
def test_density_is_normalised(prior: Prior) -> None:
    total = 0.0
    for low, high in [(0.0, 1e-3), (1e-3, 0.1), (0.1, 3.0), (3.0, 100.0), (100.0, math.inf)]:
        piece = integrate.quad(
            lambda x: math.exp(-energy_at(prior, x)), low, high, epsabs=1e-13, epsrel=1e-11
        )
        total += 2 * float(piece[0])
    assert total == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("prior", ALL, ids=str)
def test_slope_is_the_derivative_of_the_energy(prior: Prior) -> None:
    x = torch.tensor(POINTS, dtype=torch.float64, requires_grad=True)
    energy = prior.energy(x)
    expected = torch.zeros_like(x)
    if energy.requires_grad:
        (expected,) = torch.autograd.grad(energy.sum(), x)
    torch.testing.assert_close(prior.slope(x.detach()), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("prior", "formula"),
    [
        (Gaussian(0.7), lambda x: x**2 / (2 * 0.49) + math.log(0.7 * math.sqrt(2 * math.pi))),
        (
            Gaussian.from_precision(2.3),
            lambda x: 0.5 * 2.3 * x**2 - 0.5 * math.log(2.3 / 2 / math.pi),
        ),
        (Laplace(0.3), lambda x: abs(x) / 0.3 + math.log(0.6)),
        (Walls(-0.6, 1.3, 2.5, 3.0), lambda x: 2.5 * max(x - 1.3, -0.6 - x, 0.0) ** 3),
        (Walls(lower=0.4, factor=0.7), lambda x: 0.7 * max(0.4 - x, 0.0) ** 2),
        (Flat(), lambda x: 0.0 * x),
    ],
    ids=str,
)
def test_energy_is_its_formula(prior: Prior, formula: Callable[[float], float]) -> None:
    for x in POINTS:
        assert energy_at(prior, x) == pytest.approx(formula(x), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("x", [0.05, 0.3, 2.1, 40.0])
def test_horseshoe_tends_to_the_half_cauchy_mixture_of_gaussians(x: float) -> None:
    scale = 0.4

    def integrand(angle: float) -> float:  # λ = tan(angle) has the half-Cauchy's law
        sd = scale * math.tan(angle)
        return math.exp(-0.5 * (x / sd) ** 2) / (sd * math.sqrt(2 * math.pi)) * 2 / math.pi

    mixture = float(integrate.quad(integrand, 0, math.pi / 2, epsabs=1e-14, limit=200)[0])
    energy = energy_at(Horseshoe(scale, smoothing=1e-7), x)
    assert math.exp(-energy) == pytest.approx(mixture, rel=1e-6)


def test_scaled_exponential_integral_is_that_of_scipy() -> None:
    z = torch.logspace(-10, 2.5, 400, dtype=torch.float64)
    log_g, slope = scaled_e1(z)
    g = special.exp1(z.numpy()) * z.exp().numpy()
    torch.testing.assert_close(log_g, torch.log(torch.from_numpy(g)), rtol=1e-13, atol=1e-14)
    expected = torch.from_numpy(1 / (z.numpy() * g) - 1)
    torch.testing.assert_close(slope, expected, rtol=3e-11, atol=0)


def test_scaled_exponential_integral_far_out_is_its_expansion() -> None:
    z = torch.tensor([1e5, 1e8, 1e11], dtype=torch.float64)
    log_g, slope = scaled_e1(z)
    torch.testing.assert_close(slope, 1 / z - 1 / z**2, rtol=1e-9, atol=0)
    torch.testing.assert_close(log_g, -torch.log(z) - 1 / z + 1.5 / z**2, rtol=1e-12, atol=0)


def test_horseshoe_holds_in_float32() -> None:
    x = torch.tensor(POINTS)
    prior = Horseshoe(0.4)
    torch.testing.assert_close(
        prior.energy(x).double(), prior.energy(x.double()), rtol=3e-6, atol=3e-6
    )
    torch.testing.assert_close(prior.slope(x).double(), prior.slope(x.double()), rtol=3e-5, atol=0)


@pytest.mark.parametrize(
    ("prior", "is_confining"),
    [
        (Flat(), False),
        (Gaussian(0.7), True),
        (Laplace(0.3), True),
        (Horseshoe(0.4), False),
        (Walls(-0.6, 1.3), True),
        (Walls(upper=1.3), False),
    ],
    ids=str,
)
def test_confining_means_normalisable_at_every_temperature(
    prior: Prior, is_confining: bool
) -> None:
    assert prior.is_confining is is_confining
    # At T = 3, ∫ exp(−U/T) over [−L, L] stops growing with L if and only if the prior confines.
    sizes: list[float] = []
    for reach in (2e3, 2e4):
        x = torch.linspace(-reach, reach, 400_001, dtype=torch.float64)
        sizes.append(float(torch.trapezoid(torch.exp(-prior.energy(x) / 3.0), x)))
    assert (sizes[1] < 1.02 * sizes[0]) is is_confining


@pytest.mark.parametrize(
    "make",
    [
        lambda: Gaussian(0.0),
        lambda: Gaussian.from_precision(-2.0),
        lambda: Laplace(math.inf),
        lambda: Horseshoe(-0.4),
        lambda: Horseshoe(0.4, smoothing=0.0),
        lambda: Horseshoe(0.4, smoothing=2.0),
        lambda: Walls(),
        lambda: Walls(1.3, -0.6),
        lambda: Walls(upper=math.nan),
        lambda: Walls(-0.6, 1.3, factor=0.0),
        lambda: Walls(-0.6, 1.3, power=0.5),
        lambda: PerParameter({}),
        lambda: PerParameter({"*": 0.7}),  # pyright: ignore[reportArgumentType]
    ],
)
def test_prior_outside_its_range_is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ParameterError, match="must be"):
        make()


def test_first_pattern_that_matches_decides() -> None:
    table = PerParameter({"out.*": Flat(), "*.bias": Gaussian(0.7), "*": Laplace(0.3)})
    names = ("in.weight", "in.bias", "out.weight", "out.bias")
    found = priors.resolve(table, names)
    assert found == [Laplace(0.3), Gaussian(0.7), Flat(), Flat()]
    assert not priors.is_confining(found)
    assert priors.is_confining(found[:2])


def test_one_prior_is_that_of_all_and_none_is_flat() -> None:
    assert priors.resolve(Gaussian(0.7), ("a", "b")) == [Gaussian(0.7), Gaussian(0.7)]
    assert priors.resolve(None, ("a",)) == [Flat()]


def test_parameter_without_a_prior_is_named() -> None:
    with pytest.raises(ParameterError, match="says nothing about 'weight'"):
        priors.resolve(PerParameter({"bias": Flat()}), ("weight", "bias"))


def test_pattern_without_a_parameter_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"'wieght'. Did you mean 'weight'"):
        priors.resolve(PerParameter({"wieght": Flat(), "*": Flat()}), ("weight", "bias"))


def test_prior_of_ones_own_is_two_functions() -> None:
    class Quartic:
        is_confining = True

        def energy(self, x: Tensor) -> Tensor:
            return 0.7 * x**4

        def slope(self, x: Tensor) -> Tensor:
            return 2.8 * x**3

    assert isinstance(Quartic(), Prior)
