"""The p-spin glass: energy by a literal sum, derivatives, law over draws, counts."""

import itertools
import math

import pytest
import torch
from scipy.integrate import quad

from thermograd import _errors as errors
from thermograd.noise import seeded
from thermograd.objectives import critical_field
from thermograd.potentials import SpinGlass, from_function
from thermograd.potentials.spin_glass_counts import (
    band_edge,
    complexity,
    expected_critical_points,
    field_regime,
    lowest_level,
)
from thermograd.testing import assert_mean

N, J, NU = 4, 1.3, 0.7


def glass(order: int, seed: int = 2, size: int = N) -> SpinGlass:
    return SpinGlass.draw(
        size, order, generator=seeded(seed), field_size=NU, coupling=J, dtype=torch.float64
    )


def points(num: int, size: int = N) -> torch.Tensor:
    return 1.3 * torch.randn(num, size, generator=seeded(1), dtype=torch.float64)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_energy_is_the_sum_over_all_indices(order: int) -> None:
    generator = seeded(2)
    shape = (N,) * order
    drawn = J * torch.randn(shape, generator=generator, dtype=torch.float64)
    h = NU * torch.randn(N, generator=generator, dtype=torch.float64)
    for q in points(3):
        total = sum(
            float(drawn[index]) * math.prod(float(q[i]) for i in index)
            for index in itertools.product(range(N), repeat=order)
        )
        expected = -total / N ** ((order - 1) / 2) - float(h @ q)
        assert float(glass(order).energy([q[None]])) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_force_is_minus_the_gradient_by_autograd(order: int) -> None:
    x, target = points(5), glass(order)
    found, expected = torch.empty_like(x), torch.empty_like(x)
    energy = target.force([x], out=[found])
    from_function(target.energy).force([x], out=[expected])
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(energy, target.energy([x]), rtol=0, atol=0)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_hessian_is_the_second_derivative_by_autograd(order: int) -> None:
    target, q = glass(order), points(1)[0]
    expected = torch.autograd.functional.hessian(lambda x: target.energy([x[None]])[0], q)
    torch.testing.assert_close(target.hessian(q), expected, rtol=1e-12, atol=1e-13)


def test_positions_in_several_tensors_give_the_same_force() -> None:
    x, target = points(5), glass(3)
    whole, parts = torch.empty_like(x), [torch.empty(5, 3).double(), torch.empty(5, 1).double()]
    target.force([x], out=[whole])
    target.force([x[:, :3], x[:, 3:]], out=parts)
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=0, atol=0)


@pytest.mark.statistical
@pytest.mark.parametrize("order", [3, 4])
def test_energies_over_draws_have_the_covariance(order: int, seed: int) -> None:
    a = torch.tensor([1.4, -0.2, 0.9, 1.1], dtype=torch.float64)
    b = torch.tensor([1.2, 0.8, 0.3, 1.3], dtype=torch.float64)
    a, b = (math.sqrt(N) * v / v.norm() for v in (a, b))
    pair, r = torch.stack([a, b]), float(a @ b) / N
    drawn = [glass(order, seed=10_000 * (seed + 1) + k).energy([pair]) for k in range(1500)]
    energies = torch.stack(drawn)
    expected = J**2 * N * r**order + NU**2 * N * r
    assert_mean(energies[:, 0] * energies[:, 1], expected, resolves=2.0)
    assert_mean(energies[:, 0], 0.0, resolves=0.7)


@pytest.mark.statistical
def test_gradient_along_the_sphere_has_its_variance(seed: int) -> None:
    q = torch.full((1, N), 1.0, dtype=torch.float64)
    squares: list[float] = []
    for k in range(1000):
        force = torch.empty_like(q)
        glass(3, seed=50_000 * (seed + 1) + k).force([q], out=[force])
        along = force - q * float((force * q).sum()) / N
        squares.append(float(along.square().sum()))
    expected = (3 * J**2 + NU**2) * (N - 1)
    assert_mean(torch.tensor(squares, dtype=torch.float64), expected, resolves=3.5)


@pytest.mark.parametrize(("order", "edge", "ground", "first"), [
    (3, 1.632993, 1.656998, 1.652873),
    (4, 1.732051, 1.794085, 1.783300),
    (10, 1.897367, 2.135364, 2.092142),
])  # fmt: skip
def test_levels_are_the_known_ones(order: int, edge: float, ground: float, first: float) -> None:
    assert band_edge(order) == pytest.approx(edge, abs=5e-7)
    assert lowest_level(order) == pytest.approx(-ground, abs=5e-7)
    assert lowest_level(order, 1) == pytest.approx(-first, abs=5e-7)


@pytest.mark.parametrize("order", [3, 5])
@pytest.mark.parametrize("index", [None, 0, 2])
def test_complexity_is_its_integral(order: int, index: int | None) -> None:
    edge, u = band_edge(order), -1.07 * band_edge(order)
    area = quad(lambda z: math.sqrt(z * z - edge * edge), u, -edge)[0]
    parts = 1 if index is None else index + 1
    whole = 0.5 * math.log(order - 1) - (order - 2) * u * u / (4 * (order - 1))
    expected = whole - parts * 2 / edge**2 * area
    assert complexity(u, order, index) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("order", [3, 4])
def test_complexity_has_no_jumps_and_layers_are_in_order(order: int) -> None:
    for level in (-band_edge(order), 0.0):
        for index in (None, 0, 1):
            below, above = (complexity(level + d, order, index) for d in (-1e-12, 1e-12))
            assert below == pytest.approx(above, abs=1e-10)
    assert lowest_level(order) < lowest_level(order, 1) < lowest_level(order, 2)
    assert complexity(-band_edge(order), order, 0) == pytest.approx(
        0.5 * math.log(order - 1) - (order - 2) / order
    )


def test_regimes_meet_at_the_critical_field() -> None:
    assert field_regime(3, critical_field(1.3, 3), 1.3) == pytest.approx(0, abs=1e-15)
    assert field_regime(3, 3.0) == pytest.approx(-1 / 3)
    assert field_regime(4, 0.0, 0.7) == pytest.approx(0.5)


@pytest.mark.parametrize("order", [3, 6])
def test_count_without_a_field_grows_as_the_complexity(order: int) -> None:
    regime = field_regime(order, 0.0)
    few, many = (expected_critical_points(n, regime) for n in (200, 800))
    growth = math.log(many / few / math.sqrt(800 / 200)) / 600
    assert growth == pytest.approx(complexity(0.3, order), rel=1e-12)


def test_count_is_two_in_a_strong_field() -> None:
    assert expected_critical_points(100, field_regime(3, 3.0)) == 2
    assert expected_critical_points(1000, -0.004) == pytest.approx(
        2000 / math.sqrt(math.pi) * 4**-1.5
    )


def test_bad_input_is_refused() -> None:
    with pytest.raises(errors.ParameterError, match="order"):
        SpinGlass.draw(4, 1, generator=seeded(0))
    with pytest.raises(errors.ParameterError, match="symmetric"):
        SpinGlass(torch.randn(3, 3, generator=seeded(0)), torch.zeros(3))
    with pytest.raises(errors.ParameterError, match="couplings"):
        SpinGlass(torch.zeros(3, 4), torch.zeros(3))
    with pytest.raises(errors.ParameterError, match="order"):
        band_edge(2)
    with pytest.raises(errors.ParameterError, match="regime"):
        expected_critical_points(10, 0.0)
    with pytest.raises(errors.ParameterError, match="index"):
        complexity(-1.7, 3, -1)
    with pytest.raises(errors.ParameterError, match="'q' of SpinGlass"):
        glass(3).energy([torch.zeros(2, 5).double()])
