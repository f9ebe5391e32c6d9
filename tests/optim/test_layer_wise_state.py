"""Layer-wise optimizers continue exactly where they were saved."""

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from thermograd.noise import seeded
from thermograd.optim import (
    DHSGD,
    AdaptiveLangevin,
    AdLaLa,
    Method,
    Partitioned,
)
from thermograd.partitions import by_layer
from thermograd.thermostat import Thermostat

from .perceptron import ADAPTIVE, Build, H, Problem, end
from .problems import steps


def resumed(make: Build, num: int) -> tuple[Tensor, Tensor]:
    """Return the end of a run of 2 num steps, and of the same run stopped and restored half way."""
    whole = end(make, 2 * num)
    first = Problem()
    opt = make(first.model)
    steps(opt, first.loss, num)
    saved = {"model": first.model.state_dict(), "optimizer": opt.state_dict()}
    second = Problem(seed=9)
    second.x, second.y = first.x, first.y
    second.model.load_state_dict(saved["model"])
    other = make(second.model)
    other.load_state_dict(saved["optimizer"])
    return whole, second.end(lambda model: other, num)


def adlala(model: nn.Module) -> AdLaLa:
    return AdLaLa(model, H, generator=seeded(2))


def per_layer(model: nn.Module) -> AdaptiveLangevin:
    return AdaptiveLangevin(model, H, thermostat_per="layer", **ADAPTIVE, generator=seeded(2))


def three_parts(model: nn.Module) -> Partitioned:
    adaptive = Method(word="BACDEDCAB", temperature=1e-3, thermostat=Thermostat(0.2, 0.04))
    methods = {"0": adaptive, "2": "sgd", "4": Method(word="BAOAB", friction=math.inf)}
    return Partitioned(model, by_layer(model), methods, H, generator=seeded(2))


@pytest.mark.parametrize("make", [adlala, per_layer, three_parts, lambda m: DHSGD(m, H)])
def test_restored_run_is_bitwise_the_uninterrupted_one(make: Build) -> None:
    whole, restored = resumed(make, 11)
    assert torch.equal(whole, restored)


def test_state_survives_a_file_without_pickled_classes(tmp_path: Path) -> None:
    problem = Problem()
    opt = adlala(problem.model)
    steps(opt, problem.loss, 3)
    torch.save(opt.state_dict(), tmp_path / "state.pt")
    loaded = torch.load(tmp_path / "state.pt", weights_only=True)
    torch.testing.assert_close(loaded["scalars"], opt.state_dict()["scalars"], rtol=0, atol=0)


def test_a_saved_state_does_not_move_with_its_optimizer() -> None:
    problem = Problem()
    opt = adlala(problem.model)
    steps(opt, problem.loss, 3)
    saved = opt.state_dict()["scalars"][0]["xi"].clone()
    other = adlala(Problem().model)
    other.load_state_dict(opt.state_dict())
    steps(opt, problem.loss, 3)
    assert torch.equal(other.state_dict()["scalars"][0]["xi"], saved)


def test_a_parameter_that_joins_later_shares_the_thermostat() -> None:
    problem = Problem()
    frozen = next(iter(problem.model.parameters()))
    frozen.requires_grad_(False)
    opt = AdaptiveLangevin(problem.model.parameters(), H, **ADAPTIVE, generator=seeded(2))
    steps(opt, problem.loss, 4)
    frozen.requires_grad_(True)
    before = frozen.detach().clone()
    steps(opt, problem.loss, 1)
    assert not torch.equal(frozen, before)
    assert {state["pending"] for state in opt.state.values()} == {H}
    assert len(opt.state_dict()["scalars"]) == 1


def test_half_precision_parameters_have_a_wide_thermostat() -> None:
    q = nn.Parameter(torch.linspace(-1, 1, 6).to(torch.bfloat16))
    opt = AdaptiveLangevin([q], 0.05, **ADAPTIVE, generator=seeded(2))
    steps(opt, lambda: (q**2).sum(), 5)
    assert opt.state_dict()["scalars"][0]["xi"].dtype is torch.float32
    assert bool(q.isfinite().all())
