"""The multirate optimizers are the published algorithms, exactly."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd.multirate import Cycle
from thermograd.noise import Tape, seeded
from thermograd.optim import (
    Langevin,
    MultirateDropout,
    MultirateLangevin,
    MultirateSGD,
    TwoRateSGD,
)
from thermograd.partitions import by_kind

from ..reference import multirate as literal
from .problems import network, start, steps

H, MU, OMEGA = 0.0625, 0.83, 0.07  # H/4 and H/3 · 3 are exact in binary


def energy(*q: Tensor) -> Tensor:
    """A coupled, non-quadratic loss of any number of tensors of three numbers each."""
    total = torch.cat(list(q))
    weights = torch.linspace(0.6, 1.9, len(total), dtype=total.dtype)
    return (weights * total**2).sum() / 2 + torch.cos(1.3 * total.sum()) + (total**4).sum() / 9


def gradients(*q: Tensor) -> tuple[Tensor, ...]:
    leaves = [x.detach().requires_grad_() for x in q]
    return torch.autograd.grad(energy(*leaves), leaves)


def parts(num: int = 2) -> list[nn.Parameter]:
    return [nn.Parameter(start(7 * seed)) for seed in range(num)]


def run(opt: torch.optim.Optimizer, q: list[nn.Parameter], num: int) -> list[Tensor]:
    steps(opt, lambda: energy(*q), num)
    return [x.detach() for x in q]


def named(q: list[nn.Parameter]) -> dict[str, list[nn.Parameter]]:
    labels = ("slow", "mid", "fast") if len(q) == 3 else ("slow", "fast")
    return {label: [x] for label, x in zip(labels, q, strict=True)}


@pytest.mark.parametrize("k", [1, 2, 4])
def test_linear_drift_is_algorithm_5_1(k: int) -> None:
    q = parts()
    expected = literal.algorithm_5_1(q[0].detach(), q[1].detach(), gradients, k * H, k, MU, 6)
    found = run(MultirateSGD(named(q), H, k=k, momentum=MU), q, 6 * k)
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("k", [1, 2, 4])
def test_no_drift_is_algorithm_5_2(k: int) -> None:
    q = parts()
    expected = literal.algorithm_5_2(q[0].detach(), q[1].detach(), gradients, k * H, k, MU, 6)
    opt = MultirateSGD(named(q), H, k=k, momentum=MU, linear_drift=False)
    found = run(opt, q, 6 * (k + 1))
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


def test_weight_decay_is_algorithm_5_3() -> None:
    q = parts()
    groups = named(q)
    chosen = {
        "slow": {"params": groups["slow"], "weight_decay": OMEGA},
        "fast": {"params": groups["fast"], "weight_decay": 3 * OMEGA},
    }
    omega = (OMEGA, 3 * OMEGA)
    expected = literal.algorithm_5_3(
        q[0].detach(), q[1].detach(), gradients, 4 * H, 4, MU, omega, 6
    )
    found = run(MultirateSGD(chosen, H, k=4, momentum=MU), q, 24)
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("linear_drift", [True, False])
def test_three_nested_scales(linear_drift: bool) -> None:
    q = parts(3)
    twin = literal.three_scales if linear_drift else literal.three_scales_without_drift
    begin = [x.detach() for x in q]
    expected = twin(begin, lambda x: list(gradients(*x)), 8 * H, (2, 4), MU, 3)
    every = {"slow": 8, "mid": 4, "fast": 1}
    opt = MultirateSGD(named(q), H, k=every, momentum=MU, linear_drift=linear_drift)
    found = run(opt, q, 3 * opt.cycle_length)
    assert opt.cycle_length == (8 if linear_drift else 1 + 2 * (1 + 4))
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("omega", [0.0, OMEGA])
def test_k_1_is_torch_sgd_bitwise(omega: float, dtype: torch.dtype) -> None:
    (model, x, y), (twin, _, _) = network(1), network(1)
    model, twin, x, y = model.to(dtype), twin.to(dtype), x.to(dtype), y.to(dtype)
    opt = MultirateSGD(model, 0.07, k=1, momentum=MU, weight_decay=omega)
    sgd = torch.optim.SGD(
        twin.parameters(), 0.07, momentum=MU, dampening=0.0, nesterov=False, weight_decay=omega
    )
    steps(opt, lambda: ((model(x) - y) ** 2).mean(), 40)
    steps(sgd, lambda: ((twin(x) - y) ** 2).mean(), 40)
    for a, b in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(a, b)


def test_no_drift_with_k_1_is_not_torch_sgd() -> None:
    """The slow part moves before the fast part's gradient is taken."""
    q, twin = parts(), parts()
    found = run(MultirateSGD(named(q), H, k=1, momentum=MU, linear_drift=False), q, 60)
    expected = run(torch.optim.SGD(twin, H, momentum=MU), twin, 30)
    assert (found[0] - expected[0]).abs().max() > 1e-3


def test_without_momentum_it_is_the_scheme_of_the_convergence_theorem() -> None:
    """θ ← θ − h g for all, the slow gradient frozen for k steps: equation (5.11)."""
    q = parts()
    s, f = (x.detach() for x in q)
    for _ in range(5):
        frozen = gradients(s, f)[0]
        for _ in range(3):
            moved = torch.add(f, gradients(s, f)[1], alpha=-H)
            s, f = torch.add(s, frozen, alpha=-H), moved
    found = run(MultirateSGD(named(q), H, k=3, momentum=0.0), q, 15)
    assert torch.equal(found[0], s)
    assert torch.equal(found[1], f)


def test_slow_biases_of_a_model() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.07, k=5, partition=by_kind(model), slow="biases")
    asked: list[tuple[bool, bool]] = []
    for _ in range(6):
        opt.zero_grad()
        ((model(x) - y) ** 2).mean().backward()
        weight, bias = (q.grad is not None for q in list(model.parameters())[:2])
        asked.append((weight, bias))
        opt.step()
    assert asked == [(True, True), *[(True, False)] * 4, (True, True)]


def test_langevin_is_oba_on_two_scales() -> None:
    q = parts()
    h, k, friction, mass, heat = 0.11, 3, (0.8, 1.4), (2.3, 1.7), 0.7
    normals = [torch.randn(3, generator=seeded(n), dtype=torch.float64) for n in range(4 * k)]
    expected = literal.langevin(
        q[0].detach(), q[1].detach(), gradients, h, k, friction, heat, mass, [*normals]
    )
    groups = named(q)
    chosen = {"slow": {"params": groups["slow"], "friction": friction[0], "mass": mass[0]}}
    opt = MultirateLangevin(
        {**chosen, "fast": groups["fast"]},
        h,
        k=k,
        friction=friction[1],
        temperature=heat,
        mass=mass[1],
        noise=Tape([[x] for x in normals]),
    )
    found = run(opt, q, 4 * k)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-13, atol=1e-14)


def test_cold_langevin_with_a_heavy_slow_part_is_multirate_sgd() -> None:
    h, k, m, gamma = 0.2, 3, 1.7, 0.9
    q, twin = parts(), parts()
    slow = {"params": named(q)["slow"], "mass": k * m, "friction": gamma / k}
    opt = MultirateLangevin(
        {"slow": slow, "fast": named(q)["fast"]}, h, k=k, friction=gamma, temperature=0.0, mass=m
    )
    mu = torch.exp(torch.tensor(-gamma * h, dtype=torch.float64)).item()
    sgd = MultirateSGD(named(twin), h * h / m, k=k, momentum=mu)
    for a, b in zip(run(opt, q, 15), run(sgd, twin, 15), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("word", ["OBA", "BAOAB"])
def test_langevin_with_one_scale_is_langevin(word: str) -> None:
    q, twin = parts(), parts()
    opt = MultirateLangevin(
        named(q),
        0.11,
        k=1,
        friction=0.9,
        temperature=0.7,
        slow_temperature=0.7,
        word=word,
        generator=seeded(4),
    )
    groups = [{"params": [x]} for x in twin]
    plain = Langevin(groups, 0.11, friction=0.9, temperature=0.7, word=word, generator=seeded(4))
    for a, b in zip(run(opt, q, 9), run(plain, twin, 9), strict=True):
        assert torch.equal(a, b)


def test_words_without_drift_take_the_step_of_their_scale() -> None:
    """A slow part by itself, with BAOAB, is Langevin with step kh that is asked every k-th time."""
    q, twin = parts(), parts()
    groups = {"slow": named(q)["slow"], "fast": {"params": named(q)["fast"], "lr": 0.0}}
    opt = MultirateLangevin(
        groups, 0.05, k=3, friction=0.9, temperature=0.0, word="BAOAB", linear_drift=False
    )
    plain = Langevin([twin[0]], 0.15, friction=0.9, temperature=0.0, word="BAOAB")
    found, expected = run(opt, q, 4 * 6), run(plain, twin, 6)
    torch.testing.assert_close(found[0], expected[0], rtol=1e-13, atol=1e-14)


def test_dropout_is_its_description() -> None:
    q, k = nn.Parameter(start(3)), 3
    draws = [torch.rand(3, generator=seeded(n), dtype=torch.float64) for n in range(4)]
    masks = [u < 0.6 for u in draws]
    grad: Callable[[Tensor], Tensor] = lambda x: gradients(x)[0]  # noqa: E731
    expected = literal.dropout(q.detach(), grad, H, k, masks[:3])
    opt = MultirateDropout([q], H, k=k, probability=0.6, noise=Tape([], draws))
    found = run(opt, [q], 1 + 3 * (k + 1))[0]
    with opt.whole():
        torch.testing.assert_close(q.detach(), expected, rtol=1e-13, atol=1e-15)
    assert torch.equal(found == 0, masks[3])


def test_dropout_that_never_sleeps_is_sgd() -> None:
    q, twin = parts(1), parts(1)
    found = run(MultirateDropout(q, 0.05, k=2, probability=0.0), q, 8)
    expected = run(torch.optim.SGD(twin, 0.05), twin, 8)
    assert torch.equal(found[0], expected[0])


def test_dropout_without_the_joint_step_keeps_what_slept() -> None:
    q = nn.Parameter(start(3))
    opt = MultirateDropout([q], H, k=1, probability=0.5, joint=False, generator=seeded(2))
    for _ in range(6):
        with opt.whole():
            before = q.detach().clone()
        asleep = q.detach() == 0
        run(opt, [q], 1)
        with opt.whole():
            assert torch.equal(q.detach() == before, asleep)


@pytest.mark.parametrize("k", [1, 3])
def test_two_rates_are_a_small_and_a_large_step_averaged(k: int) -> None:
    q = parts(1)
    expected = literal.two_rate(
        q[0].detach(), lambda x: gradients(x)[0], 0.03, k, MU, OMEGA, cycles=5
    )
    opt = TwoRateSGD(q, 0.03, k=k, momentum=MU, weight_decay=OMEGA)
    found = run(opt, q, 5 * k)
    assert opt.position == 0
    torch.testing.assert_close(found[0], expected, rtol=1e-13, atol=1e-15)


def test_cycles_of_three_scales() -> None:
    cycle = Cycle((("a",), ("b", "c"), ("d",)), (2, 3))
    assert cycle.every == {"a": 6, "b": 3, "c": 3, "d": 1}
    shared = ["abcd", "d", "d", "bcd", "d", "d"]
    assert ["".join(sorted(labels)) for labels in cycle.calls] == shared
    apart = Cycle(cycle.scales, cycle.factors, linear_drift=False)
    assert ["".join(sorted(x)) for x in apart.calls] == ["a", *["bc", "d", "d", "d"] * 2]
    assert Cycle.from_every({"d": 1, "b": 3, "a": 6, "c": 3}).calls == cycle.calls


def test_every_call_moves_every_part_with_drift_and_its_own_without() -> None:
    for linear_drift in (True, False):
        q = parts()
        opt = MultirateSGD(named(q), H, k=2, momentum=MU, linear_drift=linear_drift)
        moved: list[Any] = []
        for _ in range(3):
            before = [x.detach().clone() for x in q]
            run(opt, q, 1)
            moved.append(tuple(not torch.equal(a, b) for a, b in zip(before, q, strict=True)))
        both, slow, fast = (True, True), (True, False), (False, True)
        assert moved == ([both] * 3 if linear_drift else [slow, fast, fast])
