"""Bad input is refused with a clear word, and nothing is lost."""

import copy
import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd import _errors as errors
from thermograd.claims import Claims
from thermograd.integrators import from_word
from thermograd.noise import seeded
from thermograd.optim import SGLD, Langevin, UnderdampedSGD, from_sgd

from .problems import built, langevin, network, steps

GOOD: dict[str, Any] = {"lr": 0.1, "friction": 0.7, "temperature": 0.9}


def parameter(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.full(shape or (3,), 0.4))


@pytest.mark.parametrize("name", ["lr", "friction", "temperature", "mass"])
@pytest.mark.parametrize("value", [-0.1, math.nan, "0.1", None, True])
def test_settings_outside_their_range(name: str, value: Any) -> None:
    with pytest.raises(errors.ParameterError, match=f"the '{name}' of group 0 of Langevin must be"):
        Langevin([parameter()], **{**GOOD, name: value})


def test_mass_zero_and_infinite_temperature() -> None:
    with pytest.raises(errors.ParameterError, match=r"'mass'.*above 0; got 0"):
        Langevin([parameter()], mass=0.0, **GOOD)
    with pytest.raises(errors.ParameterError, match="temperature"):
        Langevin([parameter()], lr=0.1, friction=0.7, temperature=math.inf)


@pytest.mark.parametrize("momentum", [-0.1, 1.0, math.nan])
def test_momentum_outside_its_range(momentum: float) -> None:
    with pytest.raises(errors.ParameterError, match=r"'momentum'.*\[0, 1\)"):
        UnderdampedSGD([parameter()], lr=0.1, friction=0.7, momentum=momentum)


def test_setting_spoiled_later_is_refused_before_anything_moves() -> None:
    param = parameter()
    opt = Langevin([param], **GOOD)
    opt.param_groups[0]["temperature"] = -0.5
    with pytest.raises(errors.ParameterError, match="temperature"):
        steps(opt, lambda: (param**2).sum(), 1)
    assert torch.equal(param.detach(), torch.full((3,), 0.4))


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("BAXAB", "unknown letter 'X' at position 3 of 'BAXAB'; the alphabet here is 'ABCDEFO'"),
        ("BOB", "never drifts"),
        ("AOA", "never kicks"),
        ("", "no integrator is called ''"),
        ("baoap", "Did you mean 'baoa"),
    ],
)
def test_words_nobody_can_run(word: str, message: str) -> None:
    with pytest.raises((errors.WordError, errors.UnknownNameError), match=message):
        Langevin([parameter()], word=word, **GOOD)


@pytest.mark.parametrize("word", ["hmc", "mala", "r_respa", "ra1", "BABAB"])
def test_methods_that_need_more_forces_are_sent_to_the_sampler(word: str) -> None:
    with pytest.raises(errors.EvaluationError, match="Use the sampler"):
        Langevin([parameter()], word=word, **GOOD)


def test_weak_order_above_two_with_three_point_noise() -> None:
    word = from_word("BAOAB", Claims(dynamics="langevin", weak_order=3))
    with pytest.raises(errors.ClaimError, match="only up to order 5"):
        Langevin([parameter()], word=word, noise="three_point", **GOOD)


def test_unknown_noise_lists_the_known() -> None:
    with pytest.raises(errors.UnknownNameError, match="'gaussian'"):
        Langevin([parameter()], noise="gausian", **GOOD)


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (torch.zeros(3, dtype=torch.complex64), "view_as_real"),
        (torch.zeros(3, dtype=torch.int64), "int64"),
        (torch.zeros(3).to_sparse(), "sparse"),
    ],
)
def test_tensors_no_flow_can_move(tensor: Tensor, message: str) -> None:
    with pytest.raises(errors.TensorError, match=message):
        Langevin([tensor], **GOOD)


def test_sparse_gradient() -> None:
    table = built(lambda: nn.Embedding(5, 3, sparse=True))
    opt = SGLD(table.parameters(), 0.1, temperature=0.1)
    held = table.weight.detach().clone()
    with pytest.raises(errors.TensorError, match="sparse gradient"):
        steps(opt, lambda: table(torch.tensor([1, 3])).sum(), 1)
    assert torch.equal(held, table.weight.detach())


def test_same_parameter_twice() -> None:
    param = parameter()
    with pytest.raises(ValueError, match="more than one parameter group"):
        Langevin([{"params": [param]}, {"params": [param]}], **GOOD)
    with pytest.raises(errors.ParameterError, match="same parameter twice"):
        Langevin([param, param], **GOOD)


def test_empty_groups() -> None:
    with pytest.raises(ValueError, match="empty parameter list"):
        Langevin([], **GOOD)
    with pytest.raises(errors.ParameterError, match="at least one parameter"):
        Langevin([{"params": []}], **GOOD)


def test_refused_group_leaves_the_optimizer_as_it_was() -> None:
    opt = Langevin([parameter()], **GOOD)
    with pytest.raises(errors.ParameterError):
        opt.add_param_group({"params": [parameter()], "lr": -0.3})
    assert len(opt.param_groups) == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("size", [3, 20_000])
def test_nonfinite_gradient_raises_before_anything_is_written(bad: float, size: int) -> None:
    good, spoiled = parameter(4), parameter(size)
    opt = Langevin([good, spoiled], generator=seeded(1), **GOOD)
    steps(opt, lambda: (good**2).sum() + (spoiled**2).sum(), 2)
    held = copy.deepcopy(opt.state_dict())
    where = [good.detach().clone(), spoiled.detach().clone()]
    opt.zero_grad()
    ((good**2).sum() + (spoiled**2).sum()).backward()
    assert spoiled.grad is not None
    spoiled.grad[2] = bad
    with pytest.raises(errors.NonFiniteError, match=f"1 of {size} elements.*Nothing was written"):
        opt.step()
    assert torch.equal(where[0], good.detach())
    assert torch.equal(where[1], spoiled.detach())
    now = opt.state_dict()
    assert torch.equal(held["state"][0]["momenta"], now["state"][0]["momenta"])
    assert torch.equal(held["noise"]["cpu"]["generator"], now["noise"]["cpu"]["generator"])


def test_huge_finite_gradients_whose_sum_overflows_are_no_error() -> None:
    param = nn.Parameter(torch.zeros(4))
    param.grad = torch.full((4,), 3e38)
    Langevin([param], lr=1e-30, friction=0.0, temperature=0.0).step()
    assert torch.isfinite(param).all()


def test_nonfinite_gradient_can_be_skipped_or_ignored() -> None:
    for choice in ("skip", "ignore"):
        param = parameter()
        opt = Langevin([param], on_nonfinite=choice, **GOOD)
        param.grad = torch.full((3,), math.nan)
        opt.step()
        assert torch.isfinite(param).all().item() is (choice == "skip")
        assert opt.skipped_steps == (1 if choice == "skip" else 0)
    with pytest.raises(errors.ParameterError, match="'raise', 'skip'"):
        Langevin([parameter()], on_nonfinite="warn", **GOOD)  # pyright: ignore[reportArgumentType]


def spoil(saved: dict[str, Any], how: str) -> dict[str, Any]:
    saved = copy.deepcopy(saved)
    if how == "shape":
        saved["state"][0]["momenta"] = torch.zeros(2, 2)
    elif how == "word":
        saved["param_groups"][0]["word"] = "obabo"
    elif how == "groups":
        saved["param_groups"].append(copy.deepcopy(saved["param_groups"][0]))
    elif how == "count":
        saved["param_groups"][0]["params"].pop()
    elif how == "noise":
        saved["noise"]["cpu"]["bits"] = torch.zeros(4, dtype=torch.int64)
    else:
        del saved["noise"]
    return saved


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("shape", "has shape"),
        ("word", "of the word 'obabo', but this one runs 'baoab'"),
        ("groups", "2 parameter groups"),
        ("count", "another number of parameters"),
        ("noise", "another kind of noise"),
        ("foreign", "lacks \\['noise'\\]"),
    ],
)
def test_state_dict_that_does_not_fit_changes_nothing(how: str, message: str) -> None:
    model, x, y = network(1)
    opt = langevin(model)
    steps(opt, lambda: ((model(x) - y) ** 2).mean(), 2)
    saved = opt.state_dict()
    held = copy.deepcopy(saved)
    with pytest.raises(errors.StateError, match=message):
        opt.load_state_dict(spoil(saved, how))
    now = opt.state_dict()
    assert all(
        torch.equal(now["state"][k]["momenta"], held["state"][k]["momenta"]) for k in held["state"]
    )
    assert torch.equal(now["noise"]["cpu"]["generator"], held["noise"]["cpu"]["generator"])


@pytest.mark.parametrize(("lr", "momentum"), [(0.0, 0.9), (-0.1, 0.9), (0.1, 0.0), (0.1, 1.0)])
def test_from_sgd_outside_its_range(lr: float, momentum: float) -> None:
    with pytest.raises(errors.ParameterError):
        from_sgd(lr=lr, momentum=momentum)
