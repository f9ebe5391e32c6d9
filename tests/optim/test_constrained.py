"""Optimizers of constrained weights: the literal updates, resumption, counts."""

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd.geometry import Circle, Flat, LevelSet, Manifold, Orthogonal, Sphere
from thermograd.noise import Tape, seeded
from thermograd.optim import (
    AdaptiveLangevin,
    CColod,
    CColud,
    ConstrainedLangevin,
    OColod,
    OColud,
    from_sgd,
)

from ..reference import constrained as literal

R, H, GAMMA, T = 1.3, 0.21, 0.9, 0.7
SLOPE, START = 0.8, 0.4


class One(nn.Module):
    """A model of one tensor."""

    def __init__(self, value: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(value.clone())


def weight(value: float = START) -> One:
    return One(torch.tensor([[value]], dtype=torch.float64))


def matrix(seed: int, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    q = torch.linalg.qr(torch.randn(shape, generator=seeded(seed), dtype=torch.float64))[0]
    return q.to(dtype)


def advance(opt: torch.optim.Optimizer, loss: Callable[[], Tensor], num: int) -> None:
    for _ in range(num):
        opt.zero_grad()
        loss().backward()
        opt.step()


def test_c_colod_is_the_literal_update(seed: int) -> None:
    model = weight()
    draws = torch.randn(6, 2, generator=seeded(seed), dtype=torch.float64)
    tape = Tape([[d[0].view(1, 1, 1), d[1].view(1, 1, 1)] for d in draws])
    opt = CColod(model, R, H, temperature=T, noise=tape)
    theta, xi = START, math.sqrt(R**2 - START**2)
    for d in draws:
        slope = SLOPE * theta
        advance(opt, lambda: SLOPE / 2 * model.weight.square().sum(), 1)
        theta, xi = literal.circle_od(theta, xi, slope, R, H, (float(d[0]), float(d[1])), T)
        assert float(model.weight.detach()) == pytest.approx(theta, abs=1e-13)


def test_c_colud_is_the_literal_update_along_the_arc(seed: int) -> None:
    """The draw along the arc is the tangent component of the two draws of the source."""
    model = weight()
    draws = torch.randn(8, 2, generator=seeded(seed), dtype=torch.float64)
    theta, xi, p, px = START, math.sqrt(R**2 - START**2), 0.0, 0.0
    tape: list[list[Tensor]] = []
    expected: list[float] = []
    c = math.exp(-GAMMA * H)
    size = math.sqrt(T * (1 - c * c))
    for d in draws:
        tape.append([((d[0] * xi - d[1] * theta) / R).view(1)])
        p, px = literal.circle_o(theta, xi, p, px, R, c, size, d)
        p, px = literal.circle_b(theta, xi, p, px, SLOPE * theta, R, H)
        theta, xi, p, px = literal.circle_a(theta, xi, p, px, R, H)
        expected.append(theta)
    opt = CColud(model, R, H, friction=GAMMA, temperature=T, noise=Tape(tape))
    for value in expected:
        advance(opt, lambda: SLOPE / 2 * model.weight.square().sum(), 1)
        assert float(model.weight.detach()) == pytest.approx(value, abs=1e-13)


def test_circle_moves_as_a_weight_and_its_slack_on_a_sphere() -> None:
    results: list[float] = []
    for rule in (Circle(R), Sphere(R, slack=True, per="weight")):
        model = weight()
        opt = ConstrainedLangevin(
            model, rule, H, friction=GAMMA, temperature=0.0, initial_momenta="gradient"
        )
        advance(opt, lambda m=model: SLOPE / 2 * m.weight.square().sum(), 25)
        results.append(float(model.weight.detach()))
    assert results[0] == pytest.approx(results[1], abs=1e-13)


def test_o_colud_is_the_literal_update(seed: int) -> None:
    q, slope = matrix(seed, 5, 3), torch.randn(5, 3, generator=seeded(seed), dtype=torch.float64)
    model, p = One(q), torch.zeros_like(q)
    draws = torch.randn(6, 5, 3, generator=seeded(seed + 1), dtype=torch.float64)
    tape = Tape([[0.1 * d[None]] for d in draws])
    opt = OColud(model, lr=0.05, friction=GAMMA, temperature=T, noise=tape)
    c = math.exp(-GAMMA * 0.05)
    for d in draws:
        advance(opt, lambda: (slope * model.weight).sum(), 1)
        p = literal.tangent(q, c * p + math.sqrt(T * (1 - c * c)) * 0.1 * d)
        p = literal.tangent(q, p - 0.05 * slope)
        q, p = literal.stiefel_a(q, p, 0.05)
        torch.testing.assert_close(model.weight.detach(), q, rtol=0, atol=1e-12)


def test_o_colod_is_the_literal_update(seed: int) -> None:
    q, slope = matrix(seed, 5, 3), torch.randn(5, 3, generator=seeded(seed), dtype=torch.float64)
    model = One(q.mT.contiguous())
    draws = torch.randn(6, 5, 3, generator=seeded(seed + 1), dtype=torch.float64)
    tape = Tape([[d.mT[None]] for d in draws])
    opt = OColod(model, lr=0.003, temperature=T, noise=tape)
    for d in draws:
        advance(opt, lambda: (slope.mT * model.weight).sum(), 1)
        q = literal.onto(q, q - 0.003 * slope + math.sqrt(2 * 0.003 * T) * d)
        torch.testing.assert_close(model.weight.detach().mT, q, rtol=0, atol=1e-12)


def test_settings_of_an_sgd_make_an_orthogonal_network_in_one_line(seed: int) -> None:
    model = One(matrix(seed, 4, 4, dtype=torch.float32))
    goal = matrix(seed + 5, 4, 4, dtype=torch.float32)
    if torch.linalg.det(goal) * torch.linalg.det(model.weight.detach()) < 0:
        goal[0].neg_()
    opt = OColud(model, **from_sgd(lr=0.05, momentum=0.9))
    advance(opt, lambda: (model.weight - goal).square().sum(), 300)
    assert float(Orthogonal().distance([model.weight.detach()[None]])) < 1e-6


def half_norm(w: Tensor) -> Tensor:
    return (w.square().sum() - 0.5).reshape(1)


RULES: list[tuple[Manifold, int]] = [
    (Flat(), 12),
    (Circle(R), 12),
    (Sphere(R, slack=True), 12),
    (Sphere(R), 8),
    (Orthogonal(), 6),
    (LevelSet(half_norm), 11),
]


def make(rule: Manifold, seed: int, word: str = "BAOAB", **more: Any) -> tuple[One, Any]:
    model = One(matrix(seed, 4, 3))
    with torch.no_grad():
        rule.settle([model.weight.unsqueeze(0)])
    opt = ConstrainedLangevin(
        model,
        rule,
        0.02,
        friction=GAMMA,
        temperature=T,
        word=word,
        generator=seeded(seed + 3),
        **more,
    )
    return model, opt


@pytest.mark.parametrize(("rule", "degrees"), RULES, ids=str)
def test_thermometer_counts_what_is_free(rule: Manifold, degrees: int, seed: int) -> None:
    model, opt = make(rule, seed, initial_momenta="tangent_gaussian")
    advance(opt, lambda: model.weight.sum(), 3)
    reading = opt.thermometer()[0].kinetic
    assert reading is not None
    assert reading.degrees == degrees


@pytest.mark.parametrize("word", ["BAOAB", "OBA", "euler_maruyama"])
@pytest.mark.parametrize("rule", [rule for rule, _ in RULES], ids=str)
def test_run_is_continued_bitwise(rule: Manifold, word: str, seed: int) -> None:
    model, opt = make(rule, seed, word)
    advance(opt, lambda: model.weight.square().sum(), 4)
    saved = (model.weight.detach().clone(), copy.deepcopy(opt.state_dict()))
    advance(opt, lambda: model.weight.square().sum(), 4)
    other, second = make(rule, seed + 9, word)
    with torch.no_grad():
        other.weight.copy_(saved[0])
    second.load_state_dict(saved[1])
    advance(second, lambda: other.weight.square().sum(), 4)
    assert torch.equal(other.weight, model.weight)


def test_thermostat_counts_degrees_of_freedom(seed: int) -> None:
    """ξ changes by ε h (|p|²/m − N T) with N = 6 for an orthogonal matrix of 4 × 3."""
    model = One(matrix(seed, 4, 3))
    group = {"params": [model.weight], "geometry": Orthogonal()}
    opt = AdaptiveLangevin(
        [group],
        0.01,
        temperature=T,
        feedback=0.3,
        driving_noise=1e-9,
        word="BAECEAB",
        generator=seeded(seed),
    )
    advance(opt, lambda: 0.0 * model.weight.sum(), 1)
    xi = float(opt._scalars[0]["xi"])  # pyright: ignore[reportPrivateUsage]
    assert xi == pytest.approx(0.1 - 0.3 * 0.01 * 6 * T)


def test_half_precision_weights_have_arcs_in_float32() -> None:
    model = One(torch.full((3, 2), 0.4, dtype=torch.bfloat16))
    opt = CColud(model, R, H, friction=GAMMA)
    advance(opt, lambda: model.weight.float().sum(), 30)
    assert opt.state[model.weight]["arc"].dtype is torch.float32
    assert float(model.weight.detach().abs().max()) <= R * (1 + 2**-8)
