"""On fast calls the backward pass leaves the slow part out, and requires_grad stays its owner's."""

import copy
import gc
import warnings

import pytest
import torch
from torch import Tensor, nn

from thermograd import _errors as errors
from thermograd.optim import MultirateSGD

from .problems import built, network, steps
from .test_torch_habits import mean_square


def flags(model: nn.Module) -> list[bool]:
    return [q.requires_grad for q in model.parameters()]


def backward(model: nn.Module, x: Tensor, y: Tensor) -> None:
    mean_square(model, x, y).backward()


def test_backward_skips_the_slow_part_on_fast_calls() -> None:
    x = torch.linspace(-0.9, 0.8, 24).view(6, 4)
    model = built(lambda: nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 5), nn.Tanh()))
    head = built(lambda: nn.Linear(5, 2))
    ran: list[str] = []
    for name, module in (("first", model[0]), ("second", model[2]), ("head", head)):
        # counts backward passes of the node that made the module's output
        def watch(_: nn.Module, __: object, out: Tensor, name: str = name) -> None:
            if out.grad_fn is not None:
                out.grad_fn.register_prehook(lambda grads, name=name: ran.append(name))

        module.register_forward_hook(watch)
    opt = MultirateSGD({"slow": model, "fast": head}, 0.05, k=3)
    seen: list[list[str]] = []
    for _ in range(7):
        ran.clear()
        opt.zero_grad()
        (head(model(x)) ** 2).mean().backward()
        assert (model[0].weight.grad is None) == ("first" not in ran)
        opt.step()
        seen.append(sorted(ran))
    whole, short = ["first", "head", "second"], ["head"]
    assert seen == [whole, short, short, whole, short, short, whole]


def test_all_gradients_are_computed_when_told_not_to_prune() -> None:
    (model, x, y), (twin, _, _) = network(1), network(1)
    opt = MultirateSGD(model, 0.05, k=3, prune=False)
    pruned = MultirateSGD(twin, 0.05, k=3)
    for _ in range(5):
        opt.zero_grad()
        backward(model, x, y)
        assert all(q.grad is not None for q in model.parameters())
        opt.step()
        steps(pruned, lambda: mean_square(twin, x, y), 1)
    for a, b in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(a, b)


def test_gradients_left_over_from_a_slow_call_are_not_used_again() -> None:
    """Without zero_grad between, p.grad of the slow part is stale: it is what it was."""
    (model, x, y), (twin, _, _) = network(1), network(1)
    opt, other = MultirateSGD(model, 0.05, k=3), MultirateSGD(twin, 0.05, k=3)
    for number in range(6):
        steps(opt, lambda: mean_square(model, x, y), 1)
        wanted = twin if number % 3 == 0 else list(twin.children())[2]
        wanted.zero_grad()
        backward(twin, x, y)
        other.step()
    for a, b in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(a, b)


def test_slow_parameters_ask_again_before_the_slow_call() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=2)
    assert flags(model) == [True] * 4
    steps(opt, lambda: mean_square(model, x, y), 1)
    assert flags(model) == [False, False, True, True]
    steps(opt, lambda: mean_square(model, x, y), 1)
    assert flags(model) == [True] * 4


def test_frozen_parameters_stay_frozen() -> None:
    model, x, y = network(1)
    frozen = next(model.parameters())
    frozen.requires_grad_(False)
    before = frozen.detach().clone()
    opt = MultirateSGD(model, 0.05, k=2)
    for _ in range(5):
        steps(opt, lambda: mean_square(model, x, y), 1)
        assert not frozen.requires_grad
    with opt.released():
        assert flags(model) == [False, True, True, True]
    del opt
    assert torch.equal(before, frozen)


def test_parameter_frozen_mid_cycle_stands_still_and_one_unfrozen_joins() -> None:
    model, x, y = network(1)
    weight = next(model.parameters())
    opt = MultirateSGD(model, 0.05, k=3)
    steps(opt, lambda: mean_square(model, x, y), 2)
    with opt.released():
        weight.requires_grad_(False)
    before = weight.detach().clone()
    steps(opt, lambda: mean_square(model, x, y), 3)
    assert torch.equal(before, weight)
    with opt.released():
        weight.requires_grad_(True)
    steps(opt, lambda: mean_square(model, x, y), 2)
    assert not torch.equal(before, weight)


def test_state_dict_gives_the_flags_back_and_changes_no_number() -> None:
    (model, x, y), (twin, _, _) = network(1), network(1)
    opt, other = MultirateSGD(model, 0.05, k=3), MultirateSGD(twin, 0.05, k=3)
    for _ in range(7):
        steps(opt, lambda: mean_square(model, x, y), 1)
        opt.state_dict()
        assert flags(model) == [True] * 4
        steps(other, lambda: mean_square(twin, x, y), 1)
    for a, b in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(a, b)


def test_deletion_gives_the_flags_back() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=3)
    steps(opt, lambda: mean_square(model, x, y), 1)
    assert flags(model) == [False, False, True, True]
    del opt
    gc.collect()
    assert flags(model) == [True] * 4


def test_an_error_in_step_gives_the_flags_back() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=3)
    steps(opt, lambda: mean_square(model, x, y), 1)

    def closure() -> float:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        opt.step(closure)
    assert flags(model) == [True] * 4
    opt.zero_grad()
    (mean_square(model, x, y) * float("nan")).backward()
    with pytest.raises(errors.NonFiniteError):
        opt.step()
    assert flags(model) == [True] * 4
    assert opt.position == 1


def test_skipped_steps_do_not_count() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=3, on_nonfinite="skip")
    steps(opt, lambda: mean_square(model, x, y) * float("inf"), 2)
    assert (opt.position, opt.skipped_steps) == (0, 2)
    steps(opt, lambda: mean_square(model, x, y), 2)
    assert opt.position == 2


def test_a_stale_loss_on_the_slow_call_is_explained() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=2)
    steps(opt, lambda: mean_square(model, x, y), 1)
    opt.zero_grad()
    early = mean_square(model, x, y)  # computed while the slow part asks for nothing
    backward(model, x, y)
    opt.step()
    opt.zero_grad()
    list(model.parameters())[2].data = list(model.parameters())[2].data.clone()
    early.backward()
    with pytest.raises(errors.EvaluationError, match="compute the loss after step"):
        opt.step()


def test_flags_switched_on_in_between_are_explained_once() -> None:
    (model, x, y), (twin, _, _) = network(1), network(1)
    opt, other = MultirateSGD(model, 0.05, k=3), MultirateSGD(twin, 0.05, k=3)
    steps(opt, lambda: mean_square(model, x, y), 1)
    model.requires_grad_(True)
    with pytest.warns(UserWarning, match=r"with MultirateSGD.released\(\):"):
        steps(opt, lambda: mean_square(model, x, y), 1)
    model.requires_grad_(True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        steps(opt, lambda: mean_square(model, x, y), 1)
    steps(other, lambda: mean_square(twin, x, y), 3)
    for a, b in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_frozen_fast_part_leaves_the_slow_part_asking() -> None:
    """Else the loss would have nothing to be differentiated by."""
    model, x, y = network(1)
    for q in list(model.parameters())[2:]:
        q.requires_grad_(False)
    opt = MultirateSGD(model, 0.05, k=3)
    steps(opt, lambda: mean_square(model, x, y), 4)
    assert flags(model) == [True, True, False, False]


def test_gradients_of_everything_within_released() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=3)
    steps(opt, lambda: mean_square(model, x, y), 1)
    with opt.released():
        grads = torch.autograd.grad(mean_square(model, x, y), list(model.parameters()))
    assert all(g.abs().sum() > 0 for g in grads)
    assert flags(model) == [False, False, True, True]


def test_deepcopy_mid_cycle_holds_its_own() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=3)
    steps(opt, lambda: mean_square(model, x, y), 1)
    twin, twin_opt = copy.deepcopy((model, opt))
    del opt
    gc.collect()
    assert flags(model) == [True] * 4
    assert flags(twin) == [False, False, True, True]
    del twin_opt
    gc.collect()
    assert flags(twin) == [True] * 4
