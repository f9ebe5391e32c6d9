"""Sizes of weights, and gradient noise and currents, against naive twins and closed forms."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from thermograd._errors import NonFiniteError, OutOfMemoryError, ParameterError
from thermograd.diagnostics.noise import (
    gradient_diversity,
    gradient_noise,
    probability_current,
)
from thermograd.diagnostics.objective import Objective
from thermograd.diagnostics.weights import (
    constraint_residual,
    drift,
    drift_by_tensor,
    largest_weights,
    orthogonality_defects,
    weight_histogram,
)
from thermograd.geometry import Orthogonal, Sphere
from thermograd.models import mlp
from thermograd.noise import seeded
from thermograd.potentials.nonequilibrium import NonEquilibrium


def normal(*shape: int, seed: int = 5) -> Tensor:
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def test_largest_weight_and_drift_by_hand() -> None:
    start = {"a": torch.tensor([[3.0, -4.0]]), "b": torch.tensor([0.0])}
    end = {"a": torch.tensor([[3.0, -1.0]]), "b": torch.tensor([4.0])}
    assert largest_weights(start)["a"].value == 4.0
    assert drift(start, end).value == pytest.approx(5 / 5)
    assert drift_by_tensor(start, end).keys() == {"a"}
    assert drift_by_tensor(start, end)["a"].value == pytest.approx(0.6)
    with pytest.raises(ParameterError, match="undefined"):
        drift({"b": start["b"]}, end)
    with pytest.raises(ParameterError, match="shapes"):
        drift(start, {"a": torch.zeros(3)})
    with pytest.raises(NonFiniteError, match="'a'"):
        largest_weights({"a": torch.tensor([math.nan])})


@pytest.mark.parametrize("shape", [(7, 4), (4, 7), (6, 2, 2, 2)])
def test_orthogonality_defect_is_the_norm_of_the_gram_matrix(shape: tuple[int, ...]) -> None:
    weight = normal(*shape)
    q = weight.flatten(1)
    q = q if q.shape[0] >= q.shape[1] else q.T
    gram = q.T @ q - torch.eye(q.shape[1], dtype=torch.float64)
    found = orthogonality_defects({"w": weight, "b": normal(3)})
    assert found.keys() == {"w"}
    assert found["w"].value == pytest.approx(float(torch.linalg.matrix_norm(gram, 2)), rel=1e-10)
    assert orthogonality_defects({"w": torch.linalg.qr(q).Q})["w"].value < 1e-13


def test_constraint_residual_is_the_geometry_s() -> None:
    q = torch.linalg.qr(normal(3, 5, 2)).Q
    assert float(constraint_residual(Orthogonal(), [q]).value.max()) < 1e-13
    stretched = constraint_residual(Orthogonal(), [1.2 * q]).value
    np.testing.assert_allclose(stretched, 0.44, rtol=1e-9)
    on = normal(3, 2, 6)
    on = 1.7 * on / on.norm(dim=2, keepdim=True)
    assert float(constraint_residual(Sphere(1.7), [on]).value.max()) < 1e-13


def test_histogram_is_a_density_with_binomial_errors() -> None:
    runs = [{"w": 1.3 * normal(500, seed=s)} for s in range(4)]
    found = weight_histogram(runs, num_bins=20, bounds=(-2.0, 2.0), threshold=0.1)
    values = torch.cat([run["w"] for run in runs]).numpy()
    inside = np.abs(values) <= 2
    assert found.outside == int((~inside).sum())
    total = float(found.density.value.sum() * 0.2)
    assert total == pytest.approx(inside.mean())
    assert found.near_zero.value == pytest.approx((np.abs(values) <= 0.1).mean())
    middle = (found.edges[:-1] + found.edges[1:]) / 2
    exact = np.exp(-(middle**2) / (2 * 1.69)) / (1.3 * math.sqrt(2 * math.pi))
    assert float(np.abs((found.density.value - exact) / found.density.uncertainty).max()) < 5
    assert weight_histogram({"w": torch.zeros(3)}, num_bins=2).near_zero.value == 1


def classifier(num: int, memory: int = 1 << 28) -> Objective:
    model = mlp((4, 3, 3), "tanh", generator=seeded(3)).double()
    labels = torch.randint(3, (num,), generator=seeded(4))
    return Objective(model, "cross_entropy", (normal(num, 4), labels), memory=memory)


def naive_gradients(objective: Objective) -> NDArray[np.float64]:
    x, y = objective.network.data
    rows: list[Tensor] = []
    for n in range(len(x)):
        theta = objective.point.clone().requires_grad_()
        loss = objective.losses(theta, x[n : n + 1], y[n : n + 1]).sum()
        rows.append(torch.autograd.grad(loss, theta)[0])
    return torch.stack(rows).numpy()


@pytest.mark.parametrize(("num", "memory"), [(11, 1 << 28), (60, 1 << 28), (60, 20_000)])
def test_spectrum_of_the_noise_is_that_of_its_matrix(num: int, memory: int) -> None:
    objective = classifier(num, memory)  # 27 parameters
    rows = naive_gradients(objective)
    matrix = np.cov(rows.T, bias=True)
    exact = np.linalg.eigvalsh(matrix)[::-1]
    found = gradient_noise(objective)
    np.testing.assert_allclose(found.eigenvalues.value, exact[: min(num, 27)], atol=1e-14)
    assert found.rank == np.linalg.matrix_rank(matrix, tol=found.threshold, hermitian=True)
    assert found.rank == min(num - 1, found.rank)
    assert found.trace.value == pytest.approx(np.trace(matrix))
    away = ((rows - rows.mean(0)) ** 2).sum(1)
    assert found.trace.uncertainty == pytest.approx(away.std() / math.sqrt(num - 1))
    assert found.variance == pytest.approx(exact.var(), rel=1e-10)
    level = found.noise_level(0.3, 7)
    assert level.value == pytest.approx(0.3 / 7 * np.trace(matrix) / 27)


def test_noise_of_too_many_gradients_is_refused() -> None:
    with pytest.raises(OutOfMemoryError, match="fewer examples"):
        gradient_noise(classifier(60, memory=9000))


def test_diversity_is_its_definition_and_that_of_equal_gradients_is_least() -> None:
    objective = classifier(13)
    rows = naive_gradients(objective)
    found = gradient_diversity(objective)
    total = np.linalg.norm(rows.sum(0))
    assert found.diversity.value == pytest.approx((rows**2).sum() / total**2)
    assert found.ratio == pytest.approx(np.linalg.norm(rows, axis=1).sum() / total)
    assert found.largest_batch == pytest.approx(13 * found.diversity.value)
    x = normal(1, 4).expand(9, 4).clone()
    model = mlp((4, 3, 3), "tanh", generator=seeded(3)).double()
    same = Objective(model, "cross_entropy", (x, torch.full((9,), 2)))
    assert gradient_diversity(same).diversity.value == pytest.approx(1 / 9)


STRENGTH = 0.6
Grid: TypeAlias = NDArray[np.float64]
Force: TypeAlias = Callable[[Grid], Grid]


def out_of_equilibrium(resolution: int) -> tuple[NonEquilibrium, Grid, Grid, Grid, Force]:
    target = NonEquilibrium(STRENGTH)
    x, y = np.linspace(-3.4, 3.4, resolution), np.linspace(-4.5, 4.5, resolution)
    phi = (x**2 - 1) ** 2 / 4 + y[:, None] ** 2 / 2

    def force(points: NDArray[np.float64]) -> NDArray[np.float64]:
        q = [torch.from_numpy(points)]
        out = [torch.empty_like(q[0])]
        target.force(q, out=out)
        return out[0].numpy()

    return target, x, y, np.exp(-phi), force


def test_current_of_the_swirling_double_well_is_the_one_it_was_made_from() -> None:
    target, x, y, density, force = out_of_equilibrium(201)
    found = probability_current(x, y, density, force, temperature=1.0)
    points = torch.from_numpy(np.stack(np.meshgrid(x, y), -1).reshape(-1, 2))
    j = target.current([points]).numpy().reshape(201, 201, 2).transpose(2, 0, 1)
    dense = found.density > 1e-6 * found.density.max()
    scale = np.abs(j[:, dense]).max()
    assert float(np.abs(found.force - j)[:, dense].max()) < 0.02 * scale
    cell = (x[1] - x[0]) * (y[1] - y[0])
    sigma = float(((j**2).sum(0) * found.density).sum() * cell)
    assert found.entropy_production.value == pytest.approx(sigma, rel=1e-3)
    # Γ = E[q₁ j₂ − q₂ j₁] = 2πλ/∫e^{−Φ}
    exact = 2 * math.pi * STRENGTH / float(density.sum() * cell)
    assert found.rotation.value == pytest.approx(exact, rel=1e-3)
    assert abs(found.rotation.value - exact) <= found.rotation.uncertainty
    assert found.divergence < 0.05


def test_error_of_the_current_falls_with_the_square_of_the_spacing() -> None:
    off: list[float] = []
    for resolution in (51, 101, 201):
        _, x, y, density, force = out_of_equilibrium(resolution)
        found = probability_current(x, y, density, force, temperature=1.0)
        off.append(found.divergence)
    assert off[0] / off[1] > 3
    assert off[1] / off[2] > 3


def test_equilibrium_produces_no_entropy_at_any_temperature() -> None:
    x, y = np.linspace(-4, 4, 161), np.linspace(-3, 3, 121)
    energy = 0.7 * x**2 + 1.1 * y[:, None] ** 2
    found = probability_current(
        x, y, np.exp(-energy / 0.6), lambda q: -q * np.array([1.4, 2.2]), temperature=0.6
    )
    assert found.entropy_production.value < 1e-10
    turned = probability_current(
        x, y, np.exp(-energy / 0.6), lambda q: -q * np.array([1.4, 2.2]) + 0.3, temperature=0.6
    )
    assert turned.entropy_production.value == pytest.approx(0.18 / 0.6, rel=1e-3)


def test_bad_densities_are_refused() -> None:
    x = np.linspace(-2, 2, 9)
    with pytest.raises(ParameterError, match="density"):
        probability_current(x, x, -np.ones((9, 9)), lambda q: q, temperature=0.7)
    with pytest.raises(ParameterError, match="drift"):
        probability_current(x, x, np.ones((9, 9)), lambda q: q[:, 0], temperature=0.7)
    with pytest.raises(ParameterError, match="2 examples"):
        gradient_noise(classifier(1))
    with pytest.raises(ParameterError, match="one at least"):
        largest_weights(nn.ReLU())
