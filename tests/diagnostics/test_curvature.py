"""Curvatures against closed forms (linear and logistic regression, quadratics) and naive twins.

Coverage of a stated error is measured over seeds; it fails by chance once in 10⁵ tries (4.5
standard errors of a share).
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from thermograd._errors import ConvergenceError, OutOfMemoryError, ParameterError
from thermograd.diagnostics.curvature import (
    SymmetricOperator,
    extreme_eigenpairs,
    fisher_diagonal,
    fisher_operator,
    ggn_operator,
    harmonic_mean,
    hessian_matrix,
    hessian_operator,
    local_entropy,
    per_example_gradients,
    robust_width,
    sampled_local_entropy,
    sharpness,
    spectral_density,
    trace,
)
from thermograd.diagnostics.objective import Objective
from thermograd.models import mlp
from thermograd.noise import seeded

UNIT = "loss/parameter²"


def normal(*shape: int, seed: int = 5) -> Tensor:
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def regression() -> tuple[Objective, Tensor]:
    """Return least squares, ½|y − Xw|²/N, whose Hessian is XᵀX/N."""
    x = normal(23, 6)
    model = mlp((5, 1), generator=seeded(2)).double()
    return Objective(model, "gaussian", (x[:, :5], normal(23, seed=6))), torch.cat(
        [x[:, :5], torch.ones(23, 1, dtype=torch.float64)], 1
    )


def classifier(
    memory: int = 1 << 28,
    num: int = 17,
    loss: str | Callable[[Tensor, Tensor], Tensor] = "cross_entropy",
) -> Objective:
    model = mlp((4, 6, 3), "tanh", generator=seeded(3)).double()
    labels = torch.randint(3, (num,), generator=seeded(4))
    return Objective(model, loss, (normal(num, 4), labels), memory=memory)


def naive_hessian(objective: Objective) -> Tensor:
    x, y = objective.network.data

    def mean(theta: Tensor) -> Tensor:
        return functional.cross_entropy(objective.outputs(theta, x), y)

    return torch.autograd.functional.hessian(mean, objective.point)  # pyright: ignore[reportReturnType]


def columns(operator: SymmetricOperator) -> Tensor:
    return operator @ torch.eye(operator.num_params, dtype=torch.float64)


def test_hessian_of_linear_regression_is_the_second_moment_of_the_inputs() -> None:
    objective, x = regression()
    expected = x.T @ x / len(x)
    torch.testing.assert_close(hessian_matrix(objective), expected, rtol=1e-12, atol=1e-13)
    for operator in (
        hessian_operator(objective),
        ggn_operator(objective),
        fisher_operator(objective),
    ):
        torch.testing.assert_close(columns(operator), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("memory", [1 << 28, 20_000])
@pytest.mark.parametrize("loss", ["cross_entropy", functional.cross_entropy])
def test_hessian_of_a_network_is_that_of_autograd_in_any_memory(
    memory: int, loss: str | Callable[[Tensor, Tensor], Tensor]
) -> None:
    objective = classifier(memory, loss=loss)
    expected = naive_hessian(objective)
    torch.testing.assert_close(columns(hessian_operator(objective)), expected)
    if memory > 1 << 20:
        torch.testing.assert_close(hessian_matrix(objective), expected)


def test_hessian_that_does_not_fit_is_refused() -> None:
    with pytest.raises(OutOfMemoryError, match="hessian_operator"):
        hessian_matrix(classifier(20_000))
    with pytest.raises(OutOfMemoryError, match="one example takes"):
        columns(hessian_operator(classifier(99)))


def test_ggn_is_jacobians_around_the_output_hessian() -> None:
    objective = classifier()
    x, _ = objective.network.data
    jacobian = torch.autograd.functional.jacobian(
        lambda theta: objective.outputs(theta, x), objective.point
    )
    p = torch.softmax(objective.outputs(objective.point, x), 1)
    curved = torch.diag_embed(p) - p.unsqueeze(2) * p.unsqueeze(1)
    expected = torch.einsum("nka,nkl,nlb->ab", jacobian, curved, jacobian) / len(x)
    torch.testing.assert_close(columns(ggn_operator(objective)), expected)
    torch.testing.assert_close(columns(fisher_operator(objective)), expected)
    found = fisher_diagonal(objective)
    np.testing.assert_allclose(found.value, expected.diagonal().numpy(), rtol=1e-10)
    assert (found.n, found.unit) == (17, UNIT)


def test_empirical_fisher_is_the_second_moment_of_gradients() -> None:
    objective = classifier()
    x, y = objective.network.data
    rows: list[Tensor] = []
    for n in range(len(x)):
        theta = objective.point.clone().requires_grad_()
        loss = functional.cross_entropy(objective.outputs(theta, x[n : n + 1]), y[n : n + 1])
        rows.append(torch.autograd.grad(loss, theta)[0])
    stacked = torch.stack(rows)
    torch.testing.assert_close(per_example_gradients(objective, x, y), stacked)
    expected = stacked.T @ stacked / len(x)
    torch.testing.assert_close(columns(fisher_operator(objective, "empirical")), expected)
    torch.testing.assert_close(
        torch.from_numpy(fisher_diagonal(objective, "empirical").value), expected.diagonal()
    )
    centred = stacked.var(0, unbiased=False)
    found = fisher_diagonal(objective, "centred").value
    torch.testing.assert_close(torch.from_numpy(found), centred)


def test_exact_fisher_is_the_average_of_the_empirical_one_over_the_model() -> None:
    objective = classifier()
    x, _ = objective.network.data
    p = torch.softmax(objective.outputs(objective.point, x), 1)
    total = torch.zeros(objective.num_params, dtype=torch.float64)
    for c in range(3):
        label = torch.full((len(x),), c)
        squares = per_example_gradients(objective, x, label) ** 2
        total += (p[:, c : c + 1] * squares).sum(0) / len(x)
    found = fisher_diagonal(objective).value
    np.testing.assert_allclose(found, total.numpy(), rtol=1e-10)


def test_exact_fisher_needs_a_likelihood() -> None:
    model = mlp((5, 1), generator=seeded(2)).double()
    objective = Objective(model, "mse", (normal(9, 5), normal(9, seed=6)))
    with pytest.raises(ParameterError, match="kind='empirical'"):
        fisher_operator(objective)


def spectrum(values: Tensor, seed: int = 8) -> SymmetricOperator:
    turn = torch.linalg.qr(normal(len(values), len(values), seed=seed)).Q
    matrix = turn @ torch.diag(values) @ turn.T
    return SymmetricOperator.from_matrix((matrix + matrix.T) / 2)


def test_extreme_eigenpairs_are_those_of_the_full_matrix() -> None:
    objective = classifier()
    exact = torch.linalg.eigvalsh(hessian_matrix(objective)).flip(0).numpy()
    operator = hessian_operator(objective)
    top = extreme_eigenpairs(operator, 4, generator=seeded(1))
    np.testing.assert_allclose(top.values.value, exact[:4], atol=1e-8)
    bottom = extreme_eigenpairs(operator, 3, "bottom", generator=seeded(1))
    np.testing.assert_allclose(bottom.values.value, exact[-3:], atol=1e-8)
    both = extreme_eigenpairs(operator, 4, "both", generator=seeded(1))
    np.testing.assert_allclose(both.values.value, exact[[0, 1, -2, -1]], atol=1e-8)
    gap = operator @ top.vectors - top.vectors * torch.from_numpy(top.values.value.copy())
    np.testing.assert_allclose(gap.norm(dim=0).numpy(), top.values.uncertainty, atol=1e-14)
    assert float(sharpness(objective, generator=seeded(1)).value) == pytest.approx(exact[0])


@pytest.mark.parametrize("tolerance", [0.3, 1e-3])
def test_uncertainty_of_an_eigenvalue_is_a_bound(tolerance: float) -> None:
    values = torch.linspace(-0.7, 4.3, 60, dtype=torch.float64)
    found = extreme_eigenpairs(spectrum(values), 3, generator=seeded(1), tolerance=tolerance).values
    nearest = np.abs(found.value[:, None] - values.numpy()).min(1)
    assert (nearest <= found.uncertainty + 1e-12).all()


@pytest.mark.statistical
def test_trace_is_right_and_its_error_covers() -> None:
    values = torch.linspace(-0.7, 4.3, 40, dtype=torch.float64)
    operator, inside = spectrum(values), np.zeros(2)
    runs = 300
    for run in range(runs):
        found = trace(operator, num_probes=24, generator=seeded(run))
        off = abs(found.value - float(values.sum())) / found.uncertainty
        inside += (off < 1.069, off < 2.069)  # Student's t, 23 degrees of freedom, 70.4 and 95%
    share = inside / runs
    assert abs(share[0] - 0.704) < 4.5 * math.sqrt(0.7 * 0.3 / runs)
    assert abs(share[1] - 0.95) < 4.5 * math.sqrt(0.95 * 0.05 / runs)


def test_trace_of_a_diagonal_matrix_takes_one_probe() -> None:
    operator = SymmetricOperator.from_matrix(torch.diag(torch.tensor([0.4, 2.3, 7.1])))
    found = trace(operator, num_probes=2, generator=seeded(2))
    assert found.value == pytest.approx(9.8, rel=1e-6)
    assert found.uncertainty == pytest.approx(0, abs=1e-5)


def test_density_integrates_moments_of_the_spectrum_as_a_probe_sees_it() -> None:
    values = torch.linspace(-0.7, 4.3, 30, dtype=torch.float64)
    operator = spectrum(values)
    found = spectral_density(operator, num_steps=7, num_probes=3, generator=seeded(1))
    again = seeded(1)
    for row in range(3):
        probe = operator.draw(again)
        probe = probe / probe.norm()
        power = probe.clone()
        for degree in range(14):  # up to 2K − 1 = 13
            expected = float(probe @ power)
            moment = float((found.weights[row] * found.nodes[row] ** degree).sum())
            assert moment == pytest.approx(expected, rel=1e-8), degree
            power = operator @ power


def test_density_with_all_steps_is_the_smoothed_spectrum() -> None:
    values = torch.tensor([-0.6, 0.3, 0.3, 1.7, 2.9, 4.1], dtype=torch.float64)
    found = spectral_density(
        SymmetricOperator.from_matrix(torch.diag(values)),
        num_steps=40,
        num_probes=2,
        width=0.2,
        generator=seeded(1),
    )
    t = found.grid[:, None]
    bumps = np.exp(-((t - values.numpy()) ** 2) / 0.08) / (0.2 * math.sqrt(2 * math.pi))
    np.testing.assert_allclose(found.density.value, bumps.mean(1), atol=1e-10)
    assert float(np.trapezoid(found.density.value, found.grid)) == pytest.approx(1, abs=1e-3)
    assert found.fraction(-0.1, 2.0).value == pytest.approx(0.5, abs=1e-12)


@pytest.mark.statistical
def test_share_of_eigenvalues_covers() -> None:
    operator = spectrum(torch.linspace(-0.7, 4.3, 20, dtype=torch.float64))
    runs, inside = 100, np.zeros(2)
    for run in range(runs):
        found = spectral_density(
            operator, num_steps=20, num_probes=12, num_points=8, generator=seeded(run)
        ).fraction(1.0, 5.0)
        off = abs(found.value - 13 / 20) / found.uncertainty
        inside += (off < 1.048, off < 2.201)  # Student's t, 11 degrees of freedom, 68.3 and 95%
    share = inside / runs
    assert abs(share[0] - 0.683) < 4.5 * math.sqrt(0.683 * 0.317 / runs)
    assert abs(share[1] - 0.95) < 4.5 * math.sqrt(0.95 * 0.05 / runs)


def test_harmonic_mean_lies_between_its_bounds() -> None:
    values = np.array([0.4, 0.9, 3.7])
    found = harmonic_mean(values, np.array([0.0, 0.01, 0.0]))
    assert found.value == pytest.approx(3 / (1 / 0.4 + 1 / 0.9 + 1 / 3.7))
    moved = harmonic_mean(values + np.array([0.0, 1e-6, 0.0])).value - found.value
    assert found.uncertainty == pytest.approx(1e4 * moved, rel=1e-4)
    assert 0.4 <= found.value <= 1.2
    with pytest.raises(ParameterError, match="positive"):
        harmonic_mean(np.array([0.3, -0.1]))


class Quadratic(nn.Module):
    """f(θ) = Σ ½ a_i θ_i², through data that say nothing."""

    def __init__(self, at: Tensor) -> None:
        super().__init__()
        self.theta = nn.Parameter(at)

    def forward(self, x: Tensor) -> Tensor:
        return self.theta * x


CURVED = torch.tensor([0.6, 2.3], dtype=torch.float64)
AT = torch.tensor([0.7, -0.4], dtype=torch.float64)


def quadratic() -> Objective:
    x = CURVED.sqrt().expand(3, 2).clone()
    return Objective(Quadratic(AT), lambda p, y: 0.5 * (p - y).square().sum(1), (x, 0 * x))


def exact_local_entropy(scope: float, temperature: float) -> float:
    """f_γ = Σ λθ²/(2(1 + γλ)) + (T/2) ln(1 + γλ)."""
    flat = 1 + scope * CURVED
    return float((CURVED * AT**2 / (2 * flat) + temperature / 2 * flat.log()).sum())


def test_local_entropy_of_a_quadratic_is_exact() -> None:
    found = local_entropy(
        CURVED.numpy(),
        scope=0.8,
        temperature=0.3,
        loss=float((CURVED * AT**2).sum() / 2),
        gradient=(CURVED * AT).numpy(),
    )
    assert found.value == pytest.approx(exact_local_entropy(0.8, 0.3), rel=1e-12)


@pytest.mark.statistical
def test_sampled_local_entropy_covers_the_exact_one() -> None:
    objective, expected, runs = quadratic(), exact_local_entropy(0.8, 0.3), 150
    inside = np.zeros(2)
    for run in range(runs):
        found = sampled_local_entropy(
            objective, scope=0.8, temperature=0.3, num_samples=256, generator=seeded(run)
        )
        off = abs(found.value - expected) / found.uncertainty
        inside += (off < 1, off < 1.96)
    share = inside / runs
    assert abs(share[0] - 0.683) < 4.5 * math.sqrt(0.68 * 0.32 / runs)
    assert abs(share[1] - 0.95) < 4.5 * math.sqrt(0.95 * 0.05 / runs)


def test_sampled_local_entropy_says_when_draws_do_not_suffice() -> None:
    with pytest.raises(ConvergenceError, match="carry the average"):
        sampled_local_entropy(
            quadratic(), scope=500.0, temperature=1e-3, num_samples=32, generator=seeded(2)
        )


def test_local_entropy_ends_where_the_quadratic_turns_over() -> None:
    with pytest.raises(ParameterError, match=r"below 2\.5"):
        local_entropy(np.array([-0.4, 1.3]), scope=2.6, temperature=0.3)


def test_robust_width_inverts_the_local_entropy() -> None:
    values = np.array([0.0, 0.6, 2.3])
    rise = local_entropy(values, scope=0.8, temperature=0.3).value
    found = robust_width(values, tolerance=rise, temperature=0.3)
    assert found.value == pytest.approx(0.8, rel=1e-9)
    assert robust_width(np.zeros(2), tolerance=0.1, temperature=0.3).value == math.inf


def test_batch_normalisation_uses_its_running_statistics() -> None:
    model = nn.Sequential(
        mlp((4, 5), generator=seeded(3)), nn.BatchNorm1d(5), mlp((5, 3), generator=seeded(4))
    ).double()
    model.train()
    model[1].running_mean.copy_(normal(5))  # pyright: ignore[reportCallIssue]
    labels = torch.randint(3, (17,), generator=seeded(4))
    objective = Objective(model, "cross_entropy", (normal(17, 4), labels), memory=60_000)
    torch.testing.assert_close(columns(hessian_operator(objective)), naive_hessian(objective))


def test_bad_requests_are_refused() -> None:
    operator = SymmetricOperator.from_matrix(torch.diag(torch.tensor([0.4, 2.3, 7.1])))
    with pytest.raises(ParameterError, match="from 1 to 2"):
        extreme_eigenpairs(operator, 3, generator=seeded(1))
    with pytest.raises(ParameterError, match="num_probes"):
        trace(operator, num_probes=1, generator=seeded(1))
    with pytest.raises(ParameterError, match=r"shape \(3,\)"):
        _ = operator @ torch.zeros(4)
    with pytest.raises(ParameterError, match="symmetric"):
        SymmetricOperator.from_matrix(torch.tensor([[0.4, 2.0], [0.1, 0.3]]))
