"""The optimizer is the sampler's arithmetic, cut at the force."""

import math
from collections.abc import Sequence

import pytest
import torch
from torch import nn

import thermograd.optim._tiles as tiles
from thermograd.geometry import Flat
from thermograd.integrators import CutIntegrator, resolve
from thermograd.noise import Gaussian, seeded
from thermograd.optim import SGLD, Langevin, UnderdampedSGD, from_sgd
from thermograd.potentials.base import Evaluator
from thermograd.sampling.engine import make_part
from thermograd.state import Env

from .problems import SETTINGS, Quartic, network, start, steps

CUT_WORDS = ["BAOAB", "OBABO", "ABOBA", "OABAO", "BAOA", "OBA", "ABO", "BAO", "BABO", "BAB"]
METHODS = [*CUT_WORDS, "sgld", "leimkuhler_matthews", "sgd_momentum", "gradient_descent"]


@pytest.mark.parametrize("method", METHODS)
def test_optimizer_stands_where_the_sampler_evaluates_its_force(method: str, seed: int) -> None:
    target, num = Quartic(), 12
    param = nn.Parameter(start(seed))
    opt = Langevin([param], word=method, generator=seeded(seed), **SETTINGS)
    steps(opt, lambda: target.energy(param), num)

    integrator = resolve(method)
    assert isinstance(integrator, CutIntegrator)
    env = Env(Gaussian(seeded(seed)), Evaluator(target))
    h = SETTINGS["lr"]
    held = {name: value for name, value in SETTINGS.items() if name != "lr"}
    part = make_part(integrator, [start(seed)[None]], **held)
    assert isinstance(part.geometry, Flat)
    integrator.init(part, env)
    # a word that drifts first has run n − 1 whole steps and the n-th up to its force
    whole = num - 1 if integrator.before_drifts else num
    if not integrator.is_cut:
        pytest.fail("every method here has one force a step")
    for _ in range(whole):
        integrator.step(part, h, env)
    if integrator.before_drifts:
        integrator.before(part, h, env)
    torch.testing.assert_close(param.data, part.q[0][0], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("lr", "momentum"), [(0.09, 0.741), (0.01, 0.9), (0.2, 0.3)])
def test_underdamped_sgd_is_torch_sgd_with_momentum(lr: float, momentum: float) -> None:
    target = Quartic()
    ours, theirs = nn.Parameter(start(5)), nn.Parameter(start(5))
    steps(
        UnderdampedSGD([ours], **from_sgd(lr=lr, momentum=momentum)),
        lambda: target.energy(ours),
        40,
    )
    steps(torch.optim.SGD([theirs], lr=lr, momentum=momentum), lambda: target.energy(theirs), 40)
    torch.testing.assert_close(ours.data, theirs.data, rtol=0, atol=1e-14)


def test_from_sgd_values() -> None:
    settings = from_sgd(lr=0.09, momentum=0.8)
    assert settings["lr"] == pytest.approx(0.3, rel=1e-15)
    assert settings["friction"] == pytest.approx(-math.log(0.8) / 0.3, rel=1e-15)


def test_momentum_setting_replaces_friction_at_every_lr() -> None:
    target = Quartic()
    by_momentum, by_friction = nn.Parameter(start(6)), nn.Parameter(start(6))
    first = UnderdampedSGD([by_momentum], lr=0.2, friction=99.0, momentum=0.6)
    second = UnderdampedSGD([by_friction], lr=0.2, friction=0.0)
    for lr in (0.2, 0.1, 0.05):
        first.param_groups[0]["lr"] = second.param_groups[0]["lr"] = lr
        second.param_groups[0]["friction"] = -math.log(0.6) / lr
        steps(first, lambda: target.energy(by_momentum), 1)
        steps(second, lambda: target.energy(by_friction), 1)
    torch.testing.assert_close(by_momentum.data, by_friction.data, rtol=1e-14, atol=1e-14)


def test_sgld_at_zero_temperature_is_torch_sgd() -> None:
    target = Quartic()
    ours, theirs = nn.Parameter(start(7)), nn.Parameter(start(7))
    steps(SGLD([ours], lr=0.07, temperature=0.0), lambda: target.energy(ours), 30)
    steps(torch.optim.SGD([theirs], lr=0.07), lambda: target.energy(theirs), 30)
    assert torch.equal(ours.data, theirs.data)


def test_last_half_kick_uses_the_step_size_it_was_begun_with() -> None:
    """BAOAB at T = 0 and γ = 0 is Verlet: a change of lr must not reach back."""
    k, sizes = 1.69, (0.3, 0.1, 0.2)
    param = nn.Parameter(torch.tensor([0.8], dtype=torch.float64))
    opt = Langevin([param], lr=0.3, friction=0.0, temperature=0.0)
    for h in sizes:
        opt.param_groups[0]["lr"] = h
        steps(opt, lambda: (k * param**2 / 2).sum(), 1)
    q, p, end = 0.8, 0.0, 0.0
    for h in sizes:
        p -= h / 2 * k * q
        q += h * p
        end, p = q, p - h / 2 * k * q
    assert param.item() == pytest.approx(end, rel=1e-13)


@pytest.mark.parametrize("word", ["BAOAB", "sgld", "OBA"])
@pytest.mark.parametrize("tile", [5, 64])
def test_tiles_change_nothing_at_zero_temperature(
    word: str, tile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: list[list[torch.Tensor]] = []
    for size in (tiles.TILE, tile):
        monkeypatch.setattr(tiles, "TILE", size)
        monkeypatch.setattr(tiles, "WHOLE", size)
        model, x, y = network(2)
        model.double()
        opt = Langevin(model.parameters(), 0.1, friction=0.7, temperature=0.0, word=word)
        x, y = x.double(), y.double()
        steps(opt, lambda m=model, x=x, y=y: ((m(x) - y) ** 2).mean(), 6)
        results.append([param.detach().clone() for param in model.parameters()])
    for whole, tiled in zip(*results, strict=True):
        assert torch.equal(whole, tiled)


@pytest.mark.parametrize("temperature", [0.0, 1e-3])
def test_one_pass_kernel_agrees_with_the_plain_formula(temperature: float) -> None:
    """float32 goes through torch's fused kernel, float64 does not; same draws, same law."""
    ends: list[torch.Tensor] = []
    for dtype in (torch.float32, torch.float64):
        param = nn.Parameter(torch.linspace(-0.9, 1.3, 4096, dtype=dtype))
        noise = _Replayed(torch.randn(4096, 5, generator=seeded(11)))
        opt = Langevin([param], 0.1, friction=0.7, temperature=temperature, noise=noise)
        steps(opt, lambda q=param: (1.3 * q**2 + 0.2 * q**4).sum(), 5)
        ends.append(param.detach().double())
    torch.testing.assert_close(*ends, rtol=0, atol=5e-6)


class _Replayed:
    """The same float32 draws for every dtype."""

    matched_moments: float = math.inf

    def __init__(self, draws: torch.Tensor) -> None:
        self.draws, self.k = draws, 0

    def normal(self, like: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        self.k += 1
        return [self.draws[:, self.k - 1].to(like[0].dtype)]

    def uniform(self, like: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError

    def state_dict(self) -> dict[str, torch.Tensor]:
        return {"k": torch.tensor(self.k)}

    def load_state_dict(self, state: dict[str, torch.Tensor]) -> None:
        self.k = int(state["k"])
