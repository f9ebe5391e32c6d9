"""Starts, conversions, combinations and bad input of constrained optimizers."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd._errors import ConvergenceError, ParameterError, TensorError
from thermograd.geometry import Circle, Flat, LevelSet, Manifold, Orthogonal, Sphere, constrain
from thermograd.noise import seeded
from thermograd.optim import (
    AdLaLa,
    CColud,
    ConstrainedLangevin,
    Langevin,
    OColod,
    OColud,
    from_sgd,
)
from thermograd.testing import assert_mean

H, GAMMA, T, M = 0.05, 0.9, 0.7, 1.3
STARTS: list[Manifold] = [Circle(1.7), Sphere(1.7), Sphere(1.7, slack=True), Orthogonal()]


def net(seed: int, *shapes: tuple[int, ...]) -> nn.ParameterList:
    draws = [torch.randn(s, generator=seeded(seed + k)).double() for k, s in enumerate(shapes)]
    return nn.ParameterList([torch.linalg.qr(draw)[0] for draw in draws])


def held(model: nn.Module, rule: Manifold, **settings: Any) -> ConstrainedLangevin:
    given: dict[str, Any] = {"lr": 0.0, "friction": GAMMA, "temperature": T, "mass": M, **settings}
    with torch.no_grad():
        for param in model.parameters():
            rule.settle([param.unsqueeze(0)])
    return ConstrainedLangevin(model, rule, word="OBA", generator=seeded(3), **given)


def push(opt: torch.optim.Optimizer, loss: Callable[[], Tensor]) -> None:
    opt.zero_grad()
    loss().backward()
    opt.step()


@pytest.mark.parametrize("rule", STARTS, ids=str)
def test_momenta_start_at_rest_or_downhill(rule: Manifold, seed: int) -> None:
    """A step of size 0 changes nothing, so what the state holds is the start."""
    for kind in ("zero", "gradient"):
        model = net(seed, (4, 3))
        slope = torch.randn(4, 3, generator=seeded(seed + 1)).double()
        opt = held(model, rule, initial_momenta=kind)
        push(opt, lambda m=model, s=slope: (s * m[0]).sum())
        p, q = opt.state[model[0]]["momenta"], model[0].detach()
        if kind == "zero":
            assert not p.any()
        elif isinstance(rule, Circle):
            torch.testing.assert_close(p, -slope * (1 - (q / 1.7) ** 2).sqrt())
        elif isinstance(rule, Orthogonal):
            along = q.T @ slope
            torch.testing.assert_close(p, -(slope - q @ (along + along.T) / 2))
        else:
            lean = (q * slope).sum(1, keepdim=True) / 1.7**2
            torch.testing.assert_close(p, -(slope - q * lean))


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("rule", "degrees"), list(zip(STARTS, (12, 8, 12, 6), strict=True)), ids=str
)
def test_momenta_start_at_the_temperature_on_every_degree_of_freedom(
    rule: Manifold, degrees: int, seed: int
) -> None:
    model = net(seed, *[(4, 3)] * 400)
    opt = held(model, rule, initial_momenta="tangent_gaussian")
    push(opt, lambda: torch.stack([0.0 * q.sum() for q in model]).sum())
    energies: list[Tensor] = []
    for q in model:
        moving = [
            opt.state[q][name] for name in ("momenta", "slack_momenta") if name in opt.state[q]
        ]
        energies.append(torch.stack([p.square().sum() for p in moving]).sum())
    assert_mean(torch.stack(energies), M * T * degrees, resolves=0.2 * M * T * degrees)


def test_momenta_start_of_another_name() -> None:
    with pytest.raises(ParameterError, match=r"'initial_momenta' of .* must be one of"):
        held(net(0, (4, 3)), Circle(1.3), initial_momenta="warm")


def test_flat_geometry_at_zero_temperature_is_sgd_with_momentum(seed: int) -> None:
    ours, theirs = net(seed, (4, 3), (3, 2)), net(seed, (4, 3), (3, 2))
    goal = torch.randn(4, 2, generator=seeded(seed + 5)).double()
    settings = from_sgd(lr=0.07, momentum=0.8)
    opt = ConstrainedLangevin(ours, Flat(), word="OBA", temperature=0.0, **settings)
    sgd = torch.optim.SGD(theirs.parameters(), lr=0.07, momentum=0.8)
    for _ in range(40):
        push(opt, lambda: (ours[0] @ ours[1] - goal).square().sum())
        push(sgd, lambda: (theirs[0] @ theirs[1] - goal).square().sum())
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_huge_circles_train_as_sgd_with_momentum(seed: int) -> None:
    ours, theirs = net(seed, (4, 3)), net(seed, (4, 3))
    opt = CColud(ours, 1e7, **from_sgd(lr=0.07, momentum=0.8))
    sgd = torch.optim.SGD(theirs.parameters(), lr=0.07, momentum=0.8)
    for _ in range(20):
        push(opt, lambda: (ours[0] - 0.4).square().sum())
        push(sgd, lambda: (theirs[0] - 0.4).square().sum())
    torch.testing.assert_close(ours[0], theirs[0], rtol=0, atol=1e-9)


def test_adlala_with_an_orthogonal_hidden_layer(seed: int) -> None:
    model = net(seed, (6, 4), (4, 1))
    groups = [{"params": [model[0]], "geometry": Orthogonal()}, {"params": [model[1]]}]
    opt = AdLaLa(groups, 0.05, temperature=1e-3, generator=seeded(seed))
    start = model[0].detach().clone()
    x = torch.randn(30, 6, generator=seeded(seed + 1)).double()
    y = x[:, :1] * x[:, 1:2]
    for _ in range(200):
        push(opt, lambda: ((x @ model[0]).tanh() @ model[1] - y).square().mean())
    found = Orthogonal().distance([model[0].detach()[None]])
    assert float(found) <= 1e-13
    assert float((model[0].detach() - start).abs().max()) > 0.05


def test_sparse_and_integer_parameters_cannot_be_held() -> None:
    model = nn.Module()
    model.weight = nn.Parameter(torch.eye(3).to_sparse())
    with pytest.raises(TensorError, match="sparse"):
        ConstrainedLangevin(model, Circle(1.3), 0.1, friction=GAMMA, temperature=0.0)
    model.weight = nn.Parameter(torch.ones(3, 3, dtype=torch.int64), requires_grad=False)
    with pytest.raises(ParameterError, match="weight is frozen"):
        constrain(model, Circle(1.3))
    group = {"params": [model.weight], "geometry": Circle(1.3)}
    with pytest.raises(TensorError, match=r"int64|floating"):
        Langevin([group], 0.1, friction=GAMMA, temperature=0.0)


def test_half_precision_weights_are_refused_where_they_cannot_be_held() -> None:
    model = nn.ParameterList([torch.eye(4).to(torch.float16)])
    with pytest.raises(TensorError, match="half precision, which cannot hold the constraint"):
        OColud(model, lr=0.1, friction=GAMMA)


def test_one_row_is_no_orthogonal_matrix_by_name_and_in_a_model() -> None:
    model = nn.ParameterList([torch.ones(1, 4)])
    with pytest.raises(ParameterError, match="no weight with two rows and two columns"):
        OColod(model, lr=0.1)
    with pytest.raises(ParameterError, match="one row or column"):
        OColod(model, "0", lr=0.1)


@pytest.mark.parametrize(
    "rule", [Orthogonal(), LevelSet(lambda q: q.square().sum().reshape(1) - 3)]
)
def test_a_step_too_long_keeps_the_weights(rule: Manifold, seed: int) -> None:
    model = net(seed, (4, 3))
    opt = held(model, rule, lr=3.0, temperature=0.0)
    before = copy.deepcopy(model)
    with pytest.raises(ConvergenceError, match=r"dt/m = 2\.3.*residual .*were kept.*maller step"):
        push(opt, lambda: (model[0] * torch.ones(4, 3).double().cumsum(0)).sum())
    assert torch.equal(model[0], before[0])


def test_a_start_where_the_constraint_has_no_slope_is_named() -> None:
    rule = LevelSet(lambda q: (q.square().sum() - 1).reshape(1))
    with pytest.raises(ConvergenceError, match="lost rank: its smallest singular value is 0"):
        rule.settle([torch.zeros(1, 3)])
