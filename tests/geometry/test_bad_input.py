"""What geometries and selections refuse, and in which words."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd._errors import ConvergenceError, EvaluationError, ParameterError, TensorError
from thermograd.geometry import (
    Circle,
    LevelSet,
    Manifold,
    Orthogonal,
    Product,
    Sphere,
    constrain,
    settle_start,
)
from thermograd.integrators import resolve
from thermograd.optim import ConstrainedLangevin, Langevin
from thermograd.sampling.engine import make_part

from .cases import part_on

SETTINGS: dict[str, Any] = {"lr": 0.1, "friction": 0.9, "temperature": 0.0}


def model(bias: bool = True) -> nn.Sequential:
    layers = nn.Sequential(nn.Linear(2, 3, bias=bias), nn.Tanh(), nn.Linear(3, 1, bias=bias))
    for number, param in enumerate(layers.parameters()):
        nn.init.constant_(param, 0.1 + 0.01 * number)
    return layers


def weight(net: nn.Sequential) -> nn.Parameter:
    return dict(net.named_parameters())["0.weight"]


def cone(q: Tensor) -> Tensor:
    return (q[0] ** 2 - q[1] ** 2).reshape(1)


def unit(q: Tensor) -> Tensor:
    return (q.square().sum() - 1).reshape(1)


@pytest.mark.parametrize("make", [Circle, Sphere])
@pytest.mark.parametrize("radius", [0.0, -0.3, math.nan, math.inf])
def test_radius_must_be_positive(make: Callable[[float], Manifold], radius: float) -> None:
    with pytest.raises(ParameterError, match=r"the 'radius' of .* must be a finite number above 0"):
        make(radius)


@pytest.mark.parametrize(
    ("geometry", "q", "said"),
    [
        (Orthogonal(), torch.ones(1, 4), "is no matrix"),
        (Orthogonal(), torch.ones(1, 4, 1), "one row or column"),
        (Orthogonal(), torch.ones(1, 1, 4), "one row or column"),
        (Orthogonal(), torch.ones(1, 3, 2), "no full rank .smallest singular value"),
        (Sphere(1.3), torch.zeros(1, 3, 2), "3 row.s. of zeros"),
        (Sphere(1.3), torch.ones(1, 3), "has no rows"),
        (Sphere(1.3), torch.ones(1, 3, 1), "could not move"),
        (Circle(1.3), torch.full((1, 3), math.nan), "not finite"),
        (LevelSet(lambda q: q.sum()), torch.ones(1, 3), "of shape .m,. with 0 < m"),
        (LevelSet(lambda q, p: q), torch.ones(1, 3), "fails on tensors of shapes"),
    ],
)
def test_tensors_that_cannot_lie_there(geometry: Manifold, q: Tensor, said: str) -> None:
    warnings.simplefilter("ignore")
    with pytest.raises(ParameterError, match=said):
        settle_start(geometry, [q], ["w"], "this", strict=False)


def test_half_precision_is_refused_but_on_circles() -> None:
    q = [torch.full((1, 3, 2), 0.4, dtype=torch.bfloat16)]
    with pytest.raises(TensorError, match="half precision"):
        settle_start(Sphere(1.3, slack=True), q, ["w"], "this", strict=False)
    settle_start(Circle(1.3), q, ["w"], "this", strict=False)


def test_level_set_names_the_singular_value_where_rank_is_lost() -> None:
    q = [torch.tensor([[0.0, 0.0]], dtype=torch.float64)]
    with pytest.raises(ConvergenceError, match="lost rank: its smallest singular value is 0"):
        part_on(LevelSet(cone), q)


@pytest.mark.parametrize("geometry", [Orthogonal(), LevelSet(unit)], ids=str)
@pytest.mark.parametrize("word", ["BAOAB", "euler_maruyama"])
def test_a_projection_that_is_not_there_changes_nothing(geometry: Manifold, word: str) -> None:
    q = [torch.eye(3, dtype=torch.float64)[None, :, :2].contiguous()]
    if isinstance(geometry, LevelSet):
        q = [q[0][:, :, 0].contiguous()]
    part = part_on(geometry, q, word)
    before = part.q[0].clone()
    if not part.p:
        part.q[0].mul_(-0.2).add_(torch.ones_like(part.q[0]), alpha=9.0)
    with pytest.raises(ConvergenceError, match="smaller step size"):
        geometry.drift(part, 9.0) if part.p else geometry.retract(part, [before])
    assert torch.equal(part.q[0], before)


def test_a_walker_without_a_projection_turns_round_if_asked_to() -> None:
    part = part_on(
        LevelSet(unit, on_failure="reverse"),
        [torch.eye(3, dtype=torch.float64)[:, :3].contiguous()],
    )
    q, p = part.q[0].clone(), part.p[0].clone()
    part.geometry.drift(part, 9.0)
    assert torch.equal(part.q[0], q)
    assert torch.equal(part.p[0], -p)
    assert part.records["reversals"].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("method", ["mala", "sgnht", "sgd_momentum"])
def test_methods_of_flat_space_are_refused(method: str) -> None:
    with pytest.raises(EvaluationError, match="holds in flat space only"):
        make_part(resolve(method), [torch.ones(1, 3, 2)], geometry=Sphere(1.3))


def test_start_off_the_manifold_is_projected_with_a_notice_or_refused() -> None:
    net = model()
    with pytest.warns(UserWarning, match=r"0\.weight of group 0 .* starts off the manifold Sphere"):
        ConstrainedLangevin(net, {"0.weight": Sphere(1.3)}, **SETTINGS)
    assert weight(net).norm(dim=1).tolist() == pytest.approx([1.3] * 3)
    with pytest.raises(ParameterError, match="starts off the manifold"):
        ConstrainedLangevin(model(), {"0.weight": Sphere(1.3)}, strict=True, **SETTINGS)


def test_weights_on_the_rim_are_moved_in_with_a_notice() -> None:
    net = model()
    nn.init.constant_(weight(net), 0.9)
    opt = ConstrainedLangevin(net, {"0.weight": Circle(0.9)}, **SETTINGS)
    for step in range(200):
        opt.zero_grad()
        weight(net).sum().backward()
        if step == 0:
            with pytest.warns(UserWarning, match=r"6 weight\(s\) start on the rim"):
                opt.step()
        else:
            opt.step()
    assert weight(net).max() < 0.5


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda net: net[0].weight.requires_grad_(False), "frozen"),
        (lambda net: setattr(net[2], "weight", net[0].weight), "tied to"),
    ],
)
def test_parameters_that_cannot_be_constrained(
    spoil: Callable[[nn.Sequential], object], said: str
) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2)).requires_grad_()
    spoil(net)
    with pytest.raises(ParameterError, match=said):
        constrain(net, Circle(1.3), "0.weight")


@pytest.fixture(autouse=True)
def _modules_draw(global_rng: None) -> None:
    pass


def test_two_constraints_on_one_parameter() -> None:
    once = constrain(model(), Circle(1.3), "0.*")
    with pytest.raises(ParameterError, match=r"0\.weight lives on Circle.* already"):
        constrain(once, Sphere(1.3), nn.Linear)


def test_a_selection_that_is_empty() -> None:
    with pytest.raises(ParameterError, match=r"'2\.wieght' selects no parameter; there are 0"):
        constrain(model(), Circle(1.3), "2.wieght")
    with pytest.raises(ParameterError, match="'Conv2d' selects no parameter"):
        constrain(model(), Circle(1.3), nn.Conv2d)


def test_biases_are_free_unless_named() -> None:
    assert set(constrain(model(), Circle(1.3)).manifolds) == {"0.weight", "2.weight"}
    assert set(constrain(model(), Circle(1.3), "2.*").manifolds) == {"2.weight"}
    assert set(constrain(model(), Circle(1.3), "2.bias").manifolds) == {"2.bias"}
    assert set(constrain(model(), Circle(1.3), nn.Linear).manifolds) == {"0.weight", "2.weight"}


def test_products_belong_to_samplers() -> None:
    group = {"params": list(model().parameters()), "geometry": Product.of((Circle(1.3),) * 4)}
    with pytest.raises(ParameterError, match="give each factor its own group"):
        Langevin([group], **SETTINGS)
