"""Analytic targets: gradients, moments by an independent quadrature, samplers, shapes."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.special import roots_legendre

from thermograd.noise import seeded
from thermograd.potentials import (
    Analytic,
    Banana,
    CorrelatedGaussian,
    DoubleWell,
    Funnel,
    GaussianMixture,
    Harmonic,
    NonEquilibrium,
    Quartic,
    from_function,
)
from thermograd.testing import assert_mean

Array = NDArray[np.float64]
Function = Callable[[Array, Array], Array]

MIXTURE = GaussianMixture((0.3, 0.7), ((-1.2, 0.5), (1.5, 0.7)), (0.6, 0.8))
MIXTURE_3D = GaussianMixture((0.35, 0.65), ((-1.2, 0.5, 0.2), (1.5, 0.7, -0.4)), (0.6, 0.8))

TARGETS = [
    Harmonic((0.5, 2.5, 7.0)),
    CorrelatedGaussian.from_spectrum((0.5, 2.5, 7.0), seeded(3)),
    Quartic(2.5, -0.6, num_params=3),
    DoubleWell(1.3, 1.2, 0.4, num_params=3),
    MIXTURE,
    MIXTURE_3D,
    Funnel(4, 1.5),
    Banana(0.7, 0.8, 1.3, 0.4),
    NonEquilibrium(0.75),
]
each_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: type(target).__name__)


def positions(target: Analytic, num_walkers: int = 5) -> torch.Tensor:
    shape = (num_walkers, target.num_params)
    return 1.3 * torch.randn(shape, generator=seeded(0), dtype=torch.float64)


def force(target: Analytic, x: torch.Tensor) -> torch.Tensor:
    out = torch.full_like(x, math.nan)
    target.force([x], out=[out])
    return out


@each_target
def test_force_is_minus_the_gradient_by_autograd(target: Analytic) -> None:
    x = positions(target)
    expected = torch.empty_like(x)
    from_function(target.energy).force([x], out=[expected])
    if isinstance(target, NonEquilibrium):
        expected += target.current([x])
    torch.testing.assert_close(force(target, x), expected, rtol=1e-12, atol=1e-13)


@each_target
def test_force_returns_the_energy(target: Analytic) -> None:
    x = positions(target)
    energy = target.force([x], out=[torch.empty_like(x)])
    torch.testing.assert_close(energy, target.energy([x]), rtol=0, atol=0)


@each_target
def test_walker_agrees_with_itself_alone(target: Analytic) -> None:
    x = positions(target)
    torch.testing.assert_close(force(target, x)[3:4], force(target, x[3:4]), rtol=1e-14, atol=1e-14)


@each_target
def test_several_tensors_agree_with_one(target: Analytic) -> None:
    x = positions(target)
    q = [x[:, 0].reshape(5, 1, 1), x[:, 1:]]
    out = [torch.empty_like(tensor) for tensor in q]
    target.force(q, out=out)
    torch.testing.assert_close(torch.cat([t.reshape(5, -1) for t in out], 1), force(target, x))


@each_target
def test_force_may_overwrite_its_positions(target: Analytic) -> None:
    x = positions(target)
    expected = force(target, x)
    target.force([x], out=[x])
    torch.testing.assert_close(x, expected, rtol=0, atol=0)


@each_target
def test_float32_agrees_with_float64(target: Analytic) -> None:
    x = positions(target)
    got = force(target, x.float())
    torch.testing.assert_close(got, force(target, x).float(), rtol=1e-4, atol=1e-5)


@each_target
def test_start_has_no_vanishing_force(target: Analytic) -> None:
    (x,) = target.start(7, torch.float64)
    assert x.shape == (7, target.num_params)
    assert float(force(target, x).abs().min()) > 1e-3


@each_target
def test_expectations_have_observables(target: Analytic) -> None:
    temperature = 1.0 if isinstance(target, NonEquilibrium | GaussianMixture) else 0.7
    names = target.expectations(temperature).keys()
    assert names <= target.observables([positions(target)]).keys()


@dataclass(frozen=True)
class Case:
    """A target, with its energy and observables written a second time, in numpy.

    `transform` maps the integration variables to (q1, q2, log of the Jacobian).
    """

    target: Analytic
    temperature: float
    energy: Function
    observables: dict[str, Function]
    box: tuple[tuple[float, float], tuple[float, float]]
    transform: Callable[[Array, Array], tuple[Array, Array, Array]] = lambda a, b: (a, b, 0 * a)


def first(x: Array, y: Array) -> Array:
    r2 = (x + 1.2) ** 2 + (y - 0.5) ** 2
    return 0.3 * np.exp(-r2 / 0.72) / (0.72 * math.pi)


def second(x: Array, y: Array) -> Array:
    r2 = (x - 1.5) ** 2 + (y - 0.7) ** 2
    return 0.7 * np.exp(-r2 / 1.28) / (1.28 * math.pi)


POWERS: dict[str, Function] = {
    "q": lambda x, y: x,
    "q^2": lambda x, y: x**2,
    "q^4": lambda x, y: x**4,
}
MEANS: dict[str, Function] = {
    "q": lambda x, y: (x + y) / 2,
    "q^2": lambda x, y: (x**2 + y**2) / 2,
    "q^4": lambda x, y: (x**4 + y**4) / 2,
}
ONE = (-0.5, 0.5)  # the second variable of a one-dimensional case

CASES = [
    Case(
        Harmonic((0.5, 2.5)), 0.7, lambda x, y: (0.5 * x**2 + 2.5 * y**2) / 2, MEANS,
        ((-15, 15), (-8, 8)),
    ),
    Case(
        CorrelatedGaussian(((2.0, 0.7), (0.7, 1.5))), 0.7,
        lambda x, y: x**2 + 0.7 * x * y + 0.75 * y**2,
        {"q": MEANS["q"], "q^2": MEANS["q^2"], "(sum q)^2 / d": lambda x, y: (x + y) ** 2 / 2},
        ((-8, 8), (-9, 9)),
    ),
    Case(
        Quartic(2.5, -0.6), 0.7, lambda x, y: 2.5 * x**4 / 4 - 0.3 * x**2, POWERS,
        ((-5, 5), ONE),
    ),
    Case(
        DoubleWell(1.3, 1.2, 0.4), 0.7, lambda x, y: 1.3 * (x**2 - 1.44) ** 2 + 0.4 * x, POWERS,
        ((-4, 4), ONE),
    ),
    Case(
        MIXTURE, 0.7,
        lambda x, y: -np.log(first(x, y) + second(x, y)),
        {
            "q": MEANS["q"],
            "q^2": MEANS["q^2"],
            "component 1": lambda x, y: first(x, y) / (first(x, y) + second(x, y)),
        },
        ((-7, 8), (-6, 8)),
    ),
    Case(
        Funnel(2, 1.2), 0.7,
        lambda v, x: v**2 / 2.88 + x**2 * np.exp(-v) / 2 + v / 2,
        {
            "v": lambda v, x: v,
            "v^2": lambda v, x: v**2,
            "x^2 e^-v": lambda v, x: x**2 * np.exp(-v),
        },
        ((-12, 12), (-9, 9)),
        lambda v, y: (v, np.exp(v / 2) * y, v / 2),
    ),
    Case(
        Banana(0.7, 0.8, 1.3, 0.4), 0.7,
        lambda x, y: (x - 0.7) ** 2 / 1.28 + (y - 1.3 * x**2) ** 2 / 0.32,
        {
            "q1": lambda x, y: x, "q1^2": lambda x, y: x**2,
            "q2": lambda x, y: y, "q2^2": lambda x, y: y**2,
        },
        ((-6, 7), (-4, 4)),
        lambda x, z: (x, 1.3 * x**2 + z, 0 * x),
    ),
    Case(
        NonEquilibrium(0.75), 1.0, lambda x, y: (x**2 - 1) ** 2 / 4 + y**2 / 2,
        {
            "q1": lambda x, y: x, "q1^2": lambda x, y: x**2, "q2^2": lambda x, y: y**2,
            "rotation": lambda x, y: 0.75 * (x**2 + y**2) * np.exp(
                (x**2 - 1) ** 2 / 4 + y**2 / 2 - (x**2 + y**2) ** 2 / 4
            ),
        },
        ((-5, 5), (-9, 9)),
    ),
]  # fmt: skip
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: type(case.target).__name__)


def averages_by_gauss_legendre(case: Case) -> dict[str, float]:
    nodes, weights = roots_legendre(300)
    (a, b), (c, d) = case.box
    u, v = np.meshgrid((a + b + (b - a) * nodes) / 2, (c + d + (d - c) * nodes) / 2)
    x, y, log_jacobian = case.transform(u, v)
    energy = case.energy(x, y)
    density = np.outer(weights, weights) * np.exp(-energy / case.temperature + log_jacobian)
    norm = density.sum()
    values = {
        name: float((density * fn(x, y)).sum() / norm) for name, fn in case.observables.items()
    }
    return {"energy": float((density * energy).sum() / norm), "virial": case.temperature, **values}


@each_case
def test_expectations_agree_with_an_independent_quadrature(case: Case) -> None:
    expected = averages_by_gauss_legendre(case)
    got = case.target.expectations(case.temperature)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("temperature", [0.02, 0.7, 30.0])
def test_quartic_moments_have_their_closed_form(temperature: float) -> None:
    scale = (4 * temperature / 2.5) ** 0.5
    expected = scale * math.gamma(0.75) / math.gamma(0.25)
    assert Quartic(2.5).expectations(temperature)["q^2"] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("temperature", [0.01, 0.7, 50.0])
def test_double_well_obeys_equipartition_at_any_temperature(temperature: float) -> None:
    virial = DoubleWell(1.3, 1.2, 0.4).expectations(temperature)["virial"]
    assert virial == pytest.approx(temperature, rel=1e-10)


def test_mixture_moments_by_quadrature_have_their_closed_form() -> None:
    expected = 0.3 * (0.36 + (1.44 + 0.25) / 2) + 0.7 * (0.64 + (2.25 + 0.49) / 2)
    assert MIXTURE.expectations(1.0)["q^2"] == pytest.approx(expected, rel=1e-12)


def test_rotated_gaussian_keeps_its_spectrum() -> None:
    target = CorrelatedGaussian.from_spectrum((0.5, 2.5, 7.0), seeded(3))
    got = torch.linalg.eigvalsh(torch.tensor(target.precision, dtype=torch.float64))
    torch.testing.assert_close(got, got.new_tensor([0.5, 2.5, 7.0]), rtol=1e-13, atol=1e-13)


RESOLVES = [
    (Harmonic((0.5, 2.5, 7.0)), 0.7, {"energy": 0.05, "q": 0.03, "q^2": 0.03, "q^4": 0.3}),
    (TARGETS[1], 0.7, {"energy": 0.05, "q": 0.03, "q^2": 0.03, "(sum q)^2 / d": 0.03}),
    (TARGETS[2], 0.7, {"energy": 0.05, "q": 0.03, "q^2": 0.02, "q^4": 0.03, "virial": 0.04}),
    (TARGETS[3], 0.7, {"energy": 0.05, "q": 0.03, "q^2": 0.02, "q^4": 0.06, "virial": 0.15}),
    (MIXTURE, 1.0, {"energy": 0.04, "q": 0.04, "q^2": 0.06, "component 1": 0.02, "virial": 0.1}),
    (MIXTURE_3D, 1.0, {"q": 0.04, "q^2": 0.06, "component 1": 0.02, "virial": 0.1}),
    (Funnel(4, 1.5), 0.7, {"energy": 0.08, "v": 0.05, "v^2": 0.15, "x^2 e^-v": 0.03}),
    (TARGETS[7], 0.7, {"energy": 0.03, "q1": 0.03, "q1^2": 0.05, "q2": 0.06, "q2^2": 0.5}),
    (NonEquilibrium(0.75), 1.0, {"energy": 0.04, "q1": 0.05, "q2^2": 0.07, "rotation": 0.02}),
]
EACH_MOMENT = [
    pytest.param(target, T, name, resolves, id=f"{type(target).__name__}-{name}")
    for target, T, promises in RESOLVES
    for name, resolves in promises.items()
]


@pytest.mark.statistical
@pytest.mark.parametrize(("target", "temperature", "name", "resolves"), EACH_MOMENT)
def test_samples_have_the_expected_moments(
    target: Analytic, temperature: float, name: str, resolves: float
) -> None:
    q = target.sample(64 * 512, temperature, seeded(0), torch.float64)
    per_group = target.observables(q)[name].reshape(64, 512).mean(1)
    assert_mean(per_group, target.expectations(temperature)[name], resolves=resolves)


@pytest.mark.parametrize(("quartic", "temperature"), [(2.5, 0.7), (0.3, 4.0)])
def test_quartic_draw_inverts_the_distribution_function(quartic: float, temperature: float) -> None:
    (x,) = Quartic(quartic).sample(500, temperature, seeded(0), torch.float64)
    z = quartic * x**4 / (4 * temperature)
    expected = 0.5 + 0.5 * torch.sign(x) * torch.special.gammainc(torch.full_like(x, 0.25), z)
    u = torch.rand(x.shape, generator=seeded(0), dtype=torch.float64)
    torch.testing.assert_close(u, expected, rtol=0, atol=5e-9)


@each_target
def test_samples_repeat_with_their_generator(target: Analytic) -> None:
    (first,) = target.sample(6, 1.0, seeded(4))
    (second,) = target.sample(6, 1.0, seeded(4))
    torch.testing.assert_close(first, second, rtol=0, atol=0)
