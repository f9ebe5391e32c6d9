"""Soft baselines against literal formulas in float64, and what they choose and refuse."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from thermograd._errors import ParameterError
from thermograd.geometry import Orthogonal
from thermograd.models import lenet, mlp
from thermograd.noise import seeded
from thermograd.regularisers import (
    decay_penalty,
    max_norm_,
    orthogonal_penalty,
    orthogonal_start_,
)


def network() -> nn.Sequential:
    return mlp((3, 5, 4, 2), "tanh", generator=seeded(3)).double()


def literal(w: Tensor) -> float:
    """Return Σ_ij (Σ_k w_ki w_kj − δ_ij)² over the columns, or over the rows if they are fewer."""
    columns = w.detach().reshape(len(w), -1)
    columns = columns.T if len(columns) < columns.shape[1] else columns
    total = 0.0
    for i in range(columns.shape[1]):
        for j in range(columns.shape[1]):
            product = sum(float(row[i]) * float(row[j]) for row in columns)
            total += (product - (i == j)) ** 2
    return total


def test_orthogonal_penalty_is_its_formula() -> None:
    model = network()
    expected = 0.7 * sum(literal(q) for q in model.parameters() if q.dim() > 1)
    assert orthogonal_penalty(model, 0.7).item() == pytest.approx(expected, rel=1e-12)
    hidden = 0.7 * literal(model.get_parameter("2.weight"))
    for where in ("2.weight", "2.*"):
        assert orthogonal_penalty(model, 0.7, where).item() == pytest.approx(hidden, rel=1e-12)


def test_orthogonal_penalty_takes_convolutions_as_matrices() -> None:
    kernel = torch.randn(3, 2, 2, 2, generator=seeded(4), dtype=torch.float64)
    with torch.random.fork_rng():
        model = nn.Conv2d(2, 3, 2).double()
    model.weight.data.copy_(kernel)
    assert orthogonal_penalty(model, 0.7).item() == pytest.approx(0.7 * literal(kernel), rel=1e-12)


def test_gradient_of_orthogonal_penalty_is_four_w_times_the_excess() -> None:
    model = network()
    orthogonal_penalty(model, 0.7, "0.weight").backward()
    w = model.get_parameter("0.weight")
    excess = w.T @ w - torch.eye(3, dtype=torch.float64)
    torch.testing.assert_close(w.grad, 0.7 * 4 * w @ excess)
    assert model.get_parameter("2.weight").grad is None


def test_orthogonal_start_has_no_penalty_and_the_gain_asked_for() -> None:
    model = lenet(generator=seeded(3)).double()
    orthogonal_start_(model, generator=seeded(4))
    assert orthogonal_penalty(model, 0.7).item() < 1e-24
    weights = [q.detach().unsqueeze(0) for q in model.parameters() if q.dim() > 1]
    assert float(Orthogonal().distance(weights)) < 1e-13
    orthogonal_start_(model, nn.Linear, generator=seeded(5), gain=1.3)
    sizes = torch.linalg.svdvals(model.get_parameter("7.weight"))
    torch.testing.assert_close(sizes, torch.full_like(sizes, 1.3))


def test_orthogonal_start_repeats_with_its_generator() -> None:
    one, other = network(), network()
    orthogonal_start_(one, generator=seeded(4))
    orthogonal_start_(other, generator=seeded(4))
    assert torch.equal(one.get_parameter("2.weight"), other.get_parameter("2.weight"))
    assert not torch.equal(one.get_parameter("2.weight"), network().get_parameter("2.weight"))
    assert torch.equal(one.get_parameter("2.bias"), network().get_parameter("2.bias"))


def test_max_norm_shrinks_what_is_too_large_and_nothing_else() -> None:
    model, before = network(), network()
    max_norm_(model, 0.6)
    shrunk = 0
    for q, old in zip(model.parameters(), before.parameters(), strict=True):
        if q.dim() == 1:
            assert torch.equal(q, old)
            continue
        for row, was in zip(q.detach(), old.detach(), strict=True):
            size = float(was.square().sum()) ** 0.5
            shrunk += size > 0.6
            torch.testing.assert_close(row, was * min(1.0, 0.6 / size))
    assert 0 < shrunk < 11


def test_max_norm_leaves_a_unit_without_weights_alone() -> None:
    model = network()
    model.get_parameter("0.weight").data[1] = 0.0
    max_norm_(model, 0.6)
    assert torch.equal(model.get_parameter("0.weight")[1], torch.zeros(3, dtype=torch.float64))


def test_decay_penalty_is_the_weight_decay_of_torch() -> None:
    x = torch.randn(6, 3, generator=seeded(4), dtype=torch.float64)

    def end(decay: float, penalty: float) -> Tensor:
        model = network()
        opt = torch.optim.SGD(model.parameters(), 0.1, momentum=0.8, weight_decay=decay)
        for _ in range(5):
            opt.zero_grad()
            (model(x).square().mean() + decay_penalty(model, penalty)).backward()
            opt.step()
        return torch.cat([q.detach().flatten() for q in model.parameters()])

    torch.testing.assert_close(end(0.0, 0.3), end(0.3, 0.0), rtol=0, atol=1e-14)
    assert not torch.equal(end(0.0, 0.3), end(0.0, 0.0))
    weights = sum(q.square().sum().item() for q in network().parameters() if q.dim() > 1)
    chosen = decay_penalty(network(), 0.3, "*")
    assert chosen.item() == pytest.approx(0.15 * weights, rel=1e-12)


def test_tied_weights_count_once() -> None:
    model = mlp((3, 3, 3), generator=seeded(3)).double()
    assert isinstance(model[0], nn.Linear)
    model[2] = model[0]
    w = model.get_parameter("0.weight")
    assert orthogonal_penalty(model, 0.7).item() == pytest.approx(0.7 * literal(w), rel=1e-12)
    both = decay_penalty(model, 0.3, "*.weight")
    assert both.item() == pytest.approx(0.15 * w.square().sum().item(), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: orthogonal_penalty(m, -0.1), "'strength' of orthogonal_penalty"),
        (lambda m: decay_penalty(m, float("nan")), "'strength' of decay_penalty"),
        (lambda m: max_norm_(m, 0.0), "'radius' of max_norm_"),
        (lambda m: orthogonal_start_(m, generator=seeded(3), gain=0.0), "'gain' of orthogonal"),
        (lambda m: orthogonal_penalty(m, 0.1, "0.wieght"), "'0.wieght' selects no parameter"),
        (lambda m: max_norm_(m, 0.1, "0.bias"), "0.bias is neither"),
        (lambda _: max_norm_(nn.Tanh(), 0.1), "finds no matrix"),
        (lambda _: decay_penalty(nn.Tanh(), 0.1), "finds no parameter"),
    ],
)
def test_bad_input_is_refused(call: Callable[[nn.Module], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call(network())
