"""Rows of many tensors move together as each would alone, whatever their sizes and layouts."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd.geometry import Circle, Manifold, Sphere
from thermograd.noise import seeded
from thermograd.optim import ConstrainedLangevin
from thermograd.optim import _rows as rows_module

H, GAMMA = 0.13, 0.9
SHAPES = ((4, 3), (2, 3), (5, 2), (3, 3, 2, 2), (1, 3))
RULES: list[Manifold] = [
    Circle(1.3),
    Sphere(1.3),
    Sphere(1.3, slack=True),
    Sphere(1.3, slack=True, per="tensor"),
    Sphere(1.3, slack=True, per="weight"),
]


def net(seed: int, dtype: torch.dtype = torch.float64) -> nn.ParameterList:
    values = [torch.randn(s, generator=seeded(seed + k)) for k, s in enumerate(SHAPES)]
    params = nn.ParameterList([0.3 * value.to(dtype) for value in values])
    params[3].data = params[3].data.to(memory_format=torch.channels_last)
    return params


def loss(params: nn.ParameterList) -> Tensor:
    return torch.stack([(k + 1) * (p - 0.4).square().sum() for k, p in enumerate(params)]).sum()


def held(params: nn.ParameterList, rule: Manifold, word: str, **more: Any) -> Any:
    with torch.no_grad():
        for param in params:
            rule.settle([param.unsqueeze(0)])
    return ConstrainedLangevin(params, rule, H, friction=GAMMA, word=word, **more)


def advance(opt: torch.optim.Optimizer, params: nn.ParameterList, steps: int) -> None:
    for _ in range(steps):
        opt.zero_grad()
        loss(params).backward()
        opt.step()


@pytest.mark.parametrize("tile", [4, 1 << 17], ids=["cut", "joined"])
@pytest.mark.parametrize("word", ["OBA", "OBABO", "euler_maruyama"])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_rows_move_as_they_do_in_their_own_tensors(
    rule: Manifold, word: str, tile: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "TILE", tile)
    params, others = net(seed), net(seed)
    joined = held(params, rule, word, temperature=0.0)
    alone = held(others, rule, word, temperature=0.0)
    alone._rows = [None] * len(alone.param_groups)
    advance(joined, params, 12)
    advance(alone, others, 12)
    start = net(seed)
    for param, other, old in zip(params, others, start, strict=True):
        torch.testing.assert_close(param, other, rtol=0, atol=1e-13)
        assert float((param - old).detach().abs().max()) > 1e-3


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_joined_rows_go_on_bitwise_from_a_saved_state_and_in_a_copy(
    rule: Manifold, seed: int
) -> None:
    params = net(seed)
    opt = held(params, rule, "BAOAB", temperature=0.7, generator=seeded(seed + 9))
    advance(opt, params, 3)
    saved, values = copy.deepcopy(opt.state_dict()), [p.detach().clone() for p in params]
    twin: dict[str, Any] = copy.deepcopy({"params": params, "opt": opt})
    advance(opt, params, 3)
    advance(twin["opt"], twin["params"], 3)
    others = net(seed + 1)
    second = held(others, rule, "BAOAB", temperature=0.7, generator=seeded(seed + 8))
    advance(second, others, 1)
    with torch.no_grad():
        for other, value in zip(others, values, strict=True):
            other.copy_(value)
    second.load_state_dict(saved)
    advance(second, others, 3)
    for param, other, third in zip(params, others, twin["params"], strict=True):
        assert torch.equal(param, other)
        assert torch.equal(param, third)


def test_a_tensor_without_a_gradient_waits_while_others_move(seed: int) -> None:
    params = net(seed)
    opt = held(params, Circle(1.3), "OBA", temperature=0.0)
    advance(opt, params, 2)
    before = [p.detach().clone() for p in params]
    opt.zero_grad()
    params[1].square().sum().backward()
    opt.step()
    moved = [bool((p.detach() != old).any()) for p, old in zip(params, before, strict=True)]
    assert moved == [False, True, False, False, False]
    advance(opt, params, 1)
    assert all(bool((p.detach() != old).any()) for p, old in zip(params, before, strict=True))
