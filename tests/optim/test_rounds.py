"""Optimizers with an inner loop: literal twins, limits, exact rates, and how they are evaluated."""

import math
import warnings
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd import _errors as errors
from thermograd.noise import Tape, seeded
from thermograd.objectives import quadratic_control
from thermograd.optim import (
    HEAT,
    HJ,
    SGLD,
    ControlledSGD,
    EntropyAdam,
    EntropySGD,
    Langevin,
    TrivializedSGD,
    ViscousHJ,
)
from thermograd.schedules import Geometric, PowerDecay
from thermograd.testing.statistics import assert_mean

from ..reference import rounds as twin
from .problems import STIFFNESS, network, start, steps

A = 0.3
H, GAMMA, ALPHA = 0.07, 1.7, 0.25


def gradient(q: list[float]) -> list[float]:
    return [k * x + A * x**3 for k, x in zip(STIFFNESS, q, strict=True)]


def loss(q: Tensor) -> Tensor:
    return (torch.tensor(STIFFNESS, dtype=q.dtype) * q**2 / 2 + A * q**4 / 4).sum()


def parameter(seed: int = 3) -> nn.Parameter:
    return nn.Parameter(start(seed))


def run(opt: torch.optim.Optimizer, q: nn.Parameter, num: int) -> list[list[float]]:
    """Return where q is after each call."""
    path: list[list[float]] = []
    for _ in range(num):
        steps(opt, lambda: loss(q), 1)
        path.append(q.tolist())
    return path


def close(ours: object, theirs: object) -> None:
    torch.testing.assert_close(
        torch.tensor(ours, dtype=torch.float64),
        torch.tensor(theirs, dtype=torch.float64),
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize(("momentum", "inner_momentum"), [(0.0, 0.0), (0.0, 0.8), (0.6, 0.8)])
def test_entropy_sgd_follows_its_twin(momentum: float, inner_momentum: float) -> None:
    q = parameter()
    begin = q.tolist()
    opt = EntropySGD(
        [q],
        0.9,
        inner_lr=H,
        scope=GAMMA,
        inner_steps=5,
        averaging=ALPHA,
        momentum=momentum,
        inner_momentum=inner_momentum,
    )
    settings = twin.Round(5, H, GAMMA, ALPHA, inner_momentum, 0.9, momentum)
    close(run(opt, q, 20), twin.entropy_sgd(begin, gradient, settings, 4))


def test_entropy_adam_is_adam_on_the_displacement() -> None:
    q = parameter()
    x = nn.Parameter(q.detach().clone())
    opt = EntropyAdam(
        [q], 0.13, inner_lr=H, scope=GAMMA, inner_steps=4, averaging=ALPHA, betas=(0.5, 0.9)
    )
    adam = torch.optim.Adam([x], lr=0.13, betas=(0.5, 0.9))
    settings = twin.Round(4, H, GAMMA, ALPHA, 0.9, 0.0, 0.0)
    for _ in range(5):
        z = settings.run(x.tolist(), gradient)[1]
        x.grad = x.detach() - torch.tensor(z, dtype=torch.float64)
        adam.step()
        run(opt, q, 4)
        close(q.tolist(), x.tolist())


def test_hj_version_two_is_the_printed_one() -> None:
    q = parameter()
    begin = q.tolist()
    opt = HJ([q], 0.11, inner_lr=H, scope=GAMMA, inner_steps=5, version=2)
    run(opt, q, 15)
    close(q.tolist(), twin.hj_two(begin, gradient, 5, H, GAMMA, 0.11, 3))


def test_both_versions_of_hj_agree_where_the_inner_loop_has_converged() -> None:
    ends: list[list[float]] = []
    for version, lr in ((1, 0.6), (2, 0.6 * GAMMA)):
        q = parameter()
        opt = HJ([q], lr, inner_lr=0.2, scope=GAMMA, inner_steps=120, version=version)
        run(opt, q, 240)
        ends.append(q.tolist())
    close(*ends)


def test_hj_step_on_a_quadratic_has_the_bias_of_a_finite_inner_loop() -> None:
    """(x − y_L)/γ = u'(x)(1 − (1 − h(k + 1/γ))^L), with u' = kx/(1 + γk)."""
    k, num, x = 1.3, 6, 2.1
    q = nn.Parameter(torch.tensor([x], dtype=torch.float64))
    opt = HJ([q], 0.4, inner_lr=H, scope=GAMMA, inner_steps=num)
    steps(opt, lambda: (k * q**2 / 2).sum(), num)
    slope = k * x / (1 + GAMMA * k)
    seen = slope * (1 - (1 - H * (k + 1 / GAMMA)) ** num)
    assert q.item() == pytest.approx(x - 0.4 * GAMMA * seen, rel=1e-13)


def taped(num: int, size: int = 3) -> list[list[float]]:
    return torch.randn(num, size, generator=seeded(8), dtype=torch.float64).tolist()


def tape(rows: list[list[float]]) -> Tape:
    return Tape([[torch.tensor(row, dtype=torch.float64)] for row in rows])


def walker_tape(rows: list[list[float]]) -> Tape:
    return Tape([[torch.tensor([row], dtype=torch.float64)] for row in rows])


def test_heat_follows_its_twin() -> None:
    q, rows = parameter(), taped(12)
    begin = q.tolist()
    opt = HEAT([q], 0.17, scope=0.21, inner_steps=4, noise=tape(rows))
    run(opt, q, 12)
    with opt.sync():
        close(q.tolist(), twin.heat(begin, gradient, 4, 0.21, 0.17, rows))


@pytest.mark.statistical
def test_heat_descends_on_the_solution_of_the_heat_equation(seed: int) -> None:
    """For U = k q²/2 + a q⁴/4 it is v' = (k + 3aγ) q + a q³; each coordinate is a walker."""
    q = nn.Parameter(torch.full((60_000,), 0.9, dtype=torch.float64))
    opt = HEAT([q], 0.0, scope=0.4, inner_steps=3, generator=seeded(seed))
    for lr in (0.0, 0.31):  # the first round has the one gradient at x itself
        opt.param_groups[0]["lr"] = lr
        steps(opt, lambda: (1.3 * q**2 / 2 + A * q**4 / 4).sum(), 3)
    slope = (1.3 + 3 * A * 0.4) * 0.9 + A * 0.9**3
    assert_mean((0.9 - opt.state[q]["outer"]) / 0.31, slope, resolves=0.03)


@pytest.mark.parametrize("form", ["coupled", "force"])
def test_viscous_pair_follows_its_twin(form: Any) -> None:
    q, rows = parameter(), taped(9)
    begin = q.tolist()
    opt = ViscousHJ([q], 0.02, scope=GAMMA, ratio=0.3, temperature=0.7, form=form, noise=tape(rows))
    run(opt, q, 9)
    model = twin.viscous_coupled if form == "coupled" else twin.viscous_force
    x, held = model(begin, gradient, 0.02, GAMMA, 0.3, 0.7, rows)
    close(q.tolist(), held)
    with opt.sync():
        close(q.tolist(), x)


@pytest.mark.parametrize("form", ["coupled", "force"])
def test_slow_variable_follows_the_local_entropy_as_the_ratio_falls(form: Any) -> None:
    """On a quadratic without noise the error is of order ε."""
    k, time, x = 1.3, 0.8, 2.1
    errors_: list[float] = []
    for ratio in (0.02, 0.01):
        h = ratio * 0.02
        q = nn.Parameter(torch.tensor([x], dtype=torch.float64))
        opt = ViscousHJ([q], h, scope=GAMMA, ratio=ratio, temperature=0.0, form=form)
        q.grad = torch.zeros_like(q)
        for _ in range(round(time / h)):
            q.grad.copy_(k * q.detach())
            opt.step()
        exact = x * math.exp(-k * time / (1 + GAMMA * k))
        errors_.append(abs(opt.state[q]["outer"].item() - exact))
    assert errors_[1] < 0.02
    assert errors_[0] / errors_[1] == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("is_resampled", [False, True])
def test_trivialised_sgd_follows_its_twin(is_resampled: bool) -> None:
    q, rows = parameter(), taped(8)
    begin, nu = q.tolist(), 0.1 * math.sqrt(8)
    # the first draw is the field; resampling draws anew at each step, the first included
    opt = TrivializedSGD(
        [q],
        0.05,
        decay=7.0,
        coupling=0.1,
        layers=4,
        momentum=0.8,
        is_resampled=is_resampled,
        noise=_mixed_tape(rows),
    )
    run(opt, q, 7)
    fields = [[nu * x for x in row] for row in (rows[1:] if is_resampled else [rows[0]] * 7)]
    close(q.tolist(), twin.trivialised(begin, gradient, 0.05, 0.8, fields, 7.0, 11))


def _mixed_tape(rows: list[list[float]]) -> Tape:
    """Return draws of which the first has a walker axis, as the start of a method has."""
    entries = [[torch.tensor(row, dtype=torch.float64)] for row in rows]
    entries[0] = [entries[0][0].unsqueeze(0)]
    return Tape(entries)


def test_field_of_strength_zero_is_no_field() -> None:
    q, r = parameter(), parameter()
    opt = TrivializedSGD([q], 0.05, decay=7.0, field=0.0, momentum=0.8)
    plain = torch.optim.SGD([r], lr=0.05, momentum=0.8, nesterov=True)
    assert run(opt, q, 9) == run(plain, r, 9)


def test_field_around_adam() -> None:
    """The word of a trivialised method is any; torch's Adam with the field added is the twin."""
    q, r, rows = parameter(), parameter(), taped(1)
    opt = TrivializedSGD([q], 0.05, decay=7.0, field=0.3, word="adam", noise=_mixed_tape(rows))
    adam = torch.optim.Adam([r], lr=0.05)
    for i in range(9):
        steps(opt, lambda: loss(q), 1)
        adam.zero_grad()
        loss(r).backward()
        assert r.grad is not None
        strength = 0.3 * math.sqrt(2) * math.exp(-i / 14)
        r.grad += strength * torch.tensor(rows[0], dtype=torch.float64)
        adam.step()
    torch.testing.assert_close(q, r, rtol=1e-12, atol=1e-13)


def test_controlled_sgd_takes_the_control_off() -> None:
    q = nn.Parameter(torch.tensor([2.3], dtype=torch.float64))
    k, c, h = 0.7, 1.9, 0.05

    def control(positions: Any, time: float) -> list[Tensor]:
        return [quadratic_control(k, c, 0.6 - time) * x for x in positions]

    opt = ControlledSGD([q], h, control=control)
    expected = 2.3
    for n in range(12):
        steps(opt, lambda: (k * q**2 / 2).sum(), 1)
        expected -= h * (k + quadratic_control(k, c, 0.6 - n * h)) * expected
    assert q.item() == pytest.approx(expected, rel=1e-12)
    assert opt.time == pytest.approx(0.6)
    with pytest.raises(errors.ParameterError, match="control"):
        ControlledSGD([q], h, control=None)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_one_step_without_a_tether_is_sgd_bit_for_bit(dtype: torch.dtype) -> None:
    """L = 1, γ = ∞, α = 0, η = 1, momenta kept; torch's one-pass kernel in float32."""
    q, r = (nn.Parameter(start(3).to(dtype)) for _ in range(2))
    opt = EntropySGD(
        [q], inner_lr=0.1, scope=math.inf, inner_steps=1, averaging=0.0, inner_momenta="keep"
    )
    fused = True if dtype is torch.float32 else None
    plain = torch.optim.SGD([r], lr=0.1, momentum=0.9, nesterov=True, fused=fused)
    assert run(opt, q, 30) == run(plain, r, 30)


@pytest.mark.parametrize(("inner", "rival"), [("BAOAB", "BAOAB"), ("OBA", "OBA"), ("sgld", None)])
def test_inner_loop_is_the_method_itself_bit_for_bit(inner: str, rival: str | None) -> None:
    """Without a tether, and before the round ends."""
    q, r = parameter(), parameter()
    common: dict[str, Any] = {"temperature": 0.7, "generator": seeded(5)}
    opt = EntropySGD(
        [q], inner_lr=0.1, scope=math.inf, inner_steps=50, inner=inner, friction=0.8, **common
    )
    common["generator"] = seeded(5)
    plain = (
        Langevin([r], 0.1, friction=0.8, word=rival, **common)
        if rival
        else SGLD([r], 0.1, **common)
    )
    assert run(opt, q, 30) == run(plain, r, 30)


@pytest.mark.statistical
@pytest.mark.parametrize("inner", ["BAOAB", "sgld"])
def test_inner_loop_samples_around_the_outer_point(inner: str, seed: int) -> None:
    """⟨y⟩ = x/(1 + γk), so that x − ⟨y⟩ is γ times the gradient; BAOAB has the exact variance."""
    k, x, heat = 1.3, 2.1, 0.7
    q = nn.Parameter(torch.full((20_000,), x, dtype=torch.float64))
    opt = EntropySGD(
        [q],
        0.0,
        inner_lr=0.3 if inner == "BAOAB" else 0.02,
        scope=GAMMA,
        inner_steps=10_000,
        inner=inner,
        friction=2.0,
        temperature=heat,
        generator=seeded(seed),
    )
    for _ in range(80 if inner == "BAOAB" else 250):
        q.grad = k * q.detach()
        opt.step()
    y, mean = q.detach(), x / (1 + GAMMA * k)
    assert_mean(y, mean, resolves=0.05)
    stiff = k + 1 / GAMMA
    expected = heat / stiff if inner == "BAOAB" else heat / stiff / (1 - 0.02 * stiff / 2)
    assert_mean((y - mean) ** 2, expected, resolves=0.03)


def test_scoping_by_rounds() -> None:
    q = parameter()
    opt = EntropySGD([q], inner_lr=H, scope=Geometric(2.0, 0.5, floor=0.4), inner_steps=2)
    seen: list[float] = []
    for _ in range(8):
        seen.append(opt.scope)
        run(opt, q, 1)
    assert seen == [2.0, 2.0, 1.0, 1.0, 0.5, 0.5, 0.4, 0.4]
    r = parameter()
    opt = EntropySGD([r], inner_lr=H, scope=PowerDecay(0.5, -0.5, 2), inner_steps=1)
    with pytest.raises(errors.ParameterError, match="'scope' of EntropySGD must be above 0"):
        run(opt, r, 3)


def test_sync_shows_the_outer_point_and_puts_back_the_inner_one() -> None:
    q, r = parameter(), parameter()
    opt, plain = (
        EntropySGD([p], inner_lr=H, scope=GAMMA, inner_steps=5, inner="BAOAB", friction=0.6)
        for p in (q, r)
    )
    run(opt, q, 5)
    outer = q.tolist()
    assert opt.at_outer_point
    run(opt, q, 3)
    inner = q.tolist()
    assert not opt.at_outer_point
    with opt.sync():
        assert opt.at_outer_point
        assert q.tolist() == outer
    assert q.tolist() == inner
    run(opt, q, 9)
    run(plain, r, 17)
    assert q.tolist() == r.tolist()


def test_step_after_sync_begins_a_new_round() -> None:
    q = parameter()
    opt = EntropySGD([q], inner_lr=H, scope=GAMMA, inner_steps=5, averaging=0.0)
    run(opt, q, 3)
    opt.sync()
    outer = q.tolist()
    run(opt, q, 5)
    settings = twin.Round(5, H, GAMMA, 0.0, 0.9, 1.0, 0.0)
    close(q.tolist(), twin.entropy_sgd(outer, gradient, settings, 1)[-1])


def test_state_saved_while_synced_goes_back_to_the_inner_point() -> None:
    q, r = parameter(), parameter(4)
    opt, other = (EntropySGD([p], inner_lr=H, scope=GAMMA, inner_steps=5) for p in (q, r))
    run(opt, q, 3)
    inner = q.tolist()
    with opt.sync():
        saved, held = opt.state_dict(), q.detach().clone()
        with torch.no_grad():
            r.copy_(held)
        other.load_state_dict(saved)
    assert other.at_outer_point
    other.unsync()
    assert r.tolist() == inner


def test_watched_model_warns_once_mid_round() -> None:
    model, x, y = network(1)
    opt = EntropySGD(model.parameters(), inner_lr=0.05, scope=GAMMA, inner_steps=3)
    opt.watch(model)
    steps(opt, lambda: ((model(x) - y) ** 2).mean(), 2)
    model.eval()
    with opt.sync():
        model(x)
    with pytest.warns(UserWarning, match="2 of 3 steps into a round of EntropySGD"):
        model(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(x)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scope": 0.0}, "'scope' of EntropySGD must be above 0"),
        ({"scope": -0.3}, "'scope' of EntropySGD must be above 0"),
        ({"scope": math.nan}, "'scope' of EntropySGD must be above 0"),
        ({"inner_steps": 0}, "'inner_steps' of EntropySGD must be an integer above 0"),
        ({"inner_steps": 2.5}, "'inner_steps'"),
        ({"averaging": 1.0}, r"'averaging' of EntropySGD must be in \[0, 1\)"),
        ({"inner_lr": -0.1}, "'inner_lr' of group 0 of EntropySGD"),
        ({"lr": -0.1}, "'lr' of group 0 of EntropySGD"),
        ({"momentum": 1.0}, "'momentum'"),
        ({"inner_momentum": 1.0}, "'momentum' of nesterov"),
        ({"inner_momenta": "new"}, "'fresh', 'keep'"),
        ({"temperature": -0.1}, "'temperature'"),
    ],
)
def test_settings_out_of_range(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"inner_lr": 0.1, "scope": GAMMA}
    with pytest.raises(errors.ParameterError, match=message):
        EntropySGD([parameter()], **{**good, **change})


def test_other_optimizers_refuse_too() -> None:
    q = [parameter()]
    with pytest.raises(errors.ParameterError, match="1 or 2"):
        HJ(q, inner_lr=0.1, scope=GAMMA, version=3)
    with pytest.raises(errors.ParameterError, match="'scope' of HEAT"):
        HEAT(q, 0.1, scope=math.inf)
    with pytest.raises(errors.ParameterError, match="'ratio' of ViscousHJ"):
        ViscousHJ(q, 0.1, scope=GAMMA, ratio=0.0, temperature=0.1)
    with pytest.raises(errors.ParameterError, match="'betas'"):
        EntropyAdam(q, inner_lr=0.1, scope=GAMMA, betas=(0.9, 1.0))
    with pytest.raises(errors.ParameterError, match="a field, or a coupling"):
        TrivializedSGD(q, 0.1, decay=3.0, coupling=0.1)
    with pytest.raises(errors.ParameterError, match="3 or more"):
        TrivializedSGD(q, 0.1, decay=3.0, coupling=0.1, layers=2)
    with pytest.raises(errors.EvaluationError, match="Use the sampler"):
        EntropySGD(q, inner_lr=0.1, scope=GAMMA, inner="hmc")
