"""What PyTorch users do with an optimizer works with those of several rates."""

import copy
import io
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler

from thermograd import _errors as errors
from thermograd.noise import seeded
from thermograd.optim import (
    MultirateDropout,
    MultirateLangevin,
    MultirateSGD,
    Partitioned,
    TwoRateSGD,
)
from thermograd.optim._cyclic import CyclicOptimizer
from thermograd.partitions import by_kind, by_layer, by_pattern

from .problems import network, steps
from .test_torch_habits import SCHEDULERS, assert_same, mean_square, weights

Make = Callable[[nn.Module], CyclicOptimizer]


def langevin(model: nn.Module, **changes: Any) -> MultirateLangevin:
    settings: dict[str, Any] = {"k": 3, "friction": 0.7, "temperature": 1e-3, **changes}
    return MultirateLangevin(model, 0.05, generator=seeded(3), **settings)


OPTIMIZERS: dict[str, Make] = {
    "sgd": lambda m: MultirateSGD(m, 0.05, k=3, weight_decay=1e-3),
    "sgd without drift": lambda m: MultirateSGD(m, 0.05, k=3, linear_drift=False),
    "langevin": langevin,
    "langevin without drift": lambda m: langevin(m, word="BAOAB", linear_drift=False),
    "dropout": lambda m: MultirateDropout(m, 0.05, k=3, generator=seeded(3)),
    "two rates": lambda m: TwoRateSGD(m, 0.02, k=3),
}
every = pytest.mark.parametrize("name", OPTIMIZERS)


@every
@pytest.mark.parametrize("schedule", ["lambda", "onecycle", "plateau", "cyclic"])
def test_schedulers(name: str, schedule: str) -> None:
    model, x, y = network(1)
    opt = OPTIMIZERS[name](model)
    scheduler = SCHEDULERS[schedule](opt)
    seen: set[float] = set()
    for _ in range(8):
        steps(opt, lambda: mean_square(model, x, y), 1)
        scheduler.step(*([0.7] if schedule == "plateau" else []))
        seen.add(float(opt.param_groups[0]["lr"]))
    assert len(seen) > 1
    assert all(torch.isfinite(w).all() for w in weights(model))


@every
@pytest.mark.parametrize("num", [3, 4, 5])
def test_restored_run_is_bitwise_the_uninterrupted_one(name: str, num: int) -> None:
    """Saved at any place of a cycle, through a file without pickled objects."""
    model, x, y = network(1)
    opt = OPTIMIZERS[name](model)
    steps(opt, lambda: mean_square(model, x, y), num)
    saved = io.BytesIO()
    torch.save([model.state_dict(), opt.state_dict()], saved)
    steps(opt, lambda: mean_square(model, x, y), 6)
    saved.seek(0)
    parts = torch.load(saved, weights_only=True)
    other, _, _ = network(2)
    resumed = OPTIMIZERS[name](other)
    other.load_state_dict(parts[0])
    resumed.load_state_dict(parts[1])
    steps(resumed, lambda: mean_square(other, x, y), 6)
    assert_same(weights(model), weights(other))


@every
def test_deepcopy_continues_by_itself(name: str) -> None:
    model, x, y = network(1)
    opt = OPTIMIZERS[name](model)
    steps(opt, lambda: mean_square(model, x, y), 4)
    twin, twin_opt = copy.deepcopy((model, opt))
    steps(opt, lambda: mean_square(model, x, y), 4)
    steps(twin_opt, lambda: mean_square(twin, x, y), 4)
    assert_same(weights(model), weights(twin))


@every
def test_closure_is_evaluated_and_its_value_returned(name: str) -> None:
    (model, x, y), (twin, _, _) = network(1), network(1)
    opt, other = OPTIMIZERS[name](model), OPTIMIZERS[name](twin)

    def closure() -> float:
        opt.zero_grad()
        loss = mean_square(model, x, y)
        loss.backward()
        return loss.item()

    for _ in range(5):
        expected = mean_square(model, x, y).item()
        assert opt.step(closure) == expected
        steps(other, lambda: mean_square(twin, x, y), 1)
    assert_same(weights(model), weights(twin))


@every
def test_grad_scaler_unscales_and_skips_overflow(name: str) -> None:
    (model, x, y), (plain, _, _) = network(1), network(1)
    opt, reference = OPTIMIZERS[name](model), OPTIMIZERS[name](plain)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for number in range(6):
        opt.zero_grad()
        factor = float("inf") if number == 2 else 1.0
        scaler.scale(mean_square(model, x, y) * factor).backward()
        scaler.step(opt)
        scaler.update()
    steps(reference, lambda: mean_square(plain, x, y), 5)
    for a, b in zip(weights(model), weights(plain), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


@every
def test_zero_grad_to_zero_is_zero_grad_to_none(name: str) -> None:
    (model, x, y), (twin, _, _) = network(1), network(1)
    opt, other = OPTIMIZERS[name](model), OPTIMIZERS[name](twin)
    for _ in range(6):
        opt.zero_grad(set_to_none=False)
        mean_square(model, x, y).backward()
        opt.step()
        steps(other, lambda: mean_square(twin, x, y), 1)
    assert_same(weights(model), weights(twin))


@every
def test_loss_falls(name: str) -> None:
    model, x, y = network(1)
    opt = OPTIMIZERS[name](model)
    before = mean_square(model, x, y).item()
    steps(opt, lambda: mean_square(model, x, y), 120)
    assert mean_square(model, x, y).item() < 0.9 * before


@every
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_dtypes(name: str, dtype: torch.dtype) -> None:
    model, x, y = network(1)
    opt = OPTIMIZERS[name](model.to(dtype))
    steps(opt, lambda: mean_square(model, x.to(dtype), y.to(dtype)).float(), 5)
    assert all(torch.isfinite(w).all() and w.dtype is dtype for w in weights(model))


def test_micro_batches_add_up_in_slow_and_fast_calls() -> None:
    (model, x, y), (twin, _, _) = network(1), network(1)
    opt, other = MultirateSGD(model, 0.05, k=2), MultirateSGD(twin, 0.05, k=2)
    for _ in range(4):
        opt.zero_grad()
        for half in (slice(0, 16), slice(16, 32)):
            (mean_square(model, x[half], y[half]) / 2).backward()
        opt.step()
    steps(other, lambda: mean_square(twin, x, y), 4)
    for a, b in zip(weights(model), weights(twin), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


def test_parameters_added_later_join_their_part() -> None:
    model, x, y = network(1)
    layers = list(model.children())
    opt = MultirateSGD({"slow": layers[0].weight, "fast": layers[2]}, 0.05, k=2)
    steps(opt, lambda: mean_square(model, x, y), 1)
    bias = layers[0].bias
    assert isinstance(bias, nn.Parameter)
    opt.add_param_group({"params": [bias], "label": "slow", "lr": 0.02})
    held = bias.detach().clone()
    steps(opt, lambda: mean_square(model, x, y), 1)
    assert torch.equal(held, bias)
    steps(opt, lambda: mean_square(model, x, y), 1)
    assert not torch.equal(held, bias)
    with pytest.raises(errors.ParameterError, match="which part it joins: 'slow', 'fast'"):
        opt.add_param_group({"params": [nn.Parameter(torch.zeros(3))]})


def test_a_rate_of_its_own_is_scaled_by_the_scheduler() -> None:
    """The scheduler multiplies the rates; k is not among them."""
    model, x, y = network(1)
    slow, fast = list(model[0].parameters()), list(model[2].parameters())  # pyright: ignore[reportIndexIssue]
    opt = MultirateSGD({"slow": {"params": slow, "lr": 0.01}, "fast": fast}, 0.04, k=3)
    scheduler = lr_scheduler.ExponentialLR(opt, 0.5)
    steps(opt, lambda: mean_square(model, x, y), 1)
    before, momenta = slow[0].detach().clone(), opt.state[slow[0]]["momenta"].clone()
    scheduler.step()
    steps(opt, lambda: mean_square(model, x, y), 1)
    assert [group["lr"] for group in opt.param_groups] == [0.005, 0.02]
    assert torch.equal(slow[0].detach(), torch.add(before, momenta, alpha=0.005))


def test_thermometer_reads_the_fast_part() -> None:
    model, x, y = network(1)
    opt = langevin(model)
    steps(opt, lambda: mean_square(model, x, y), 3)
    verdicts = [reading.kinetic.verdict for reading in opt.thermometer() if reading.kinetic]
    assert verdicts[0] == "no bath"
    assert verdicts[1] != "no bath"


def test_state_of_another_k_or_partition_is_refused() -> None:
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=3)
    steps(opt, lambda: mean_square(model, x, y), 2)
    saved = opt.state_dict()
    others: list[torch.optim.Optimizer] = [
        MultirateSGD(model, 0.05, k=4),
        MultirateSGD(model, 0.05, k=3, linear_drift=False),
        MultirateSGD(model, 0.05, k=3, partition=by_kind(model), slow="biases"),
    ]
    for other in others:
        with pytest.raises(errors.StateError, match="Use the same partition and k"):
            other.load_state_dict(saved)
    renamed = by_pattern(model, {"0.weight": "rest"}, rest="last")
    with pytest.raises(errors.StateError, match=r"another number of|another partition"):
        MultirateSGD(model, 0.05, k=3, partition=renamed).load_state_dict(saved)
    plain = Partitioned(model, by_kind(model), {"weights": "sgd", "biases": "sgd"}, 0.1)
    with pytest.raises(errors.StateError, match="was it saved by a MultirateSGD"):
        opt.load_state_dict(plain.state_dict())


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "5"])
def test_k_that_is_no_positive_integer(k: Any) -> None:
    model, _, _ = network(1)
    makers: list[Callable[[], object]] = [
        lambda: MultirateSGD(model, 0.1, k=k),
        lambda: MultirateSGD(model, 0.1, k={"rest": k, "last": 1}),
        lambda: langevin(model, k=k),
        lambda: MultirateDropout(model, 0.1, k=k),
        lambda: TwoRateSGD(model, 0.1, k=k),
    ]
    for make in makers:
        with pytest.raises(errors.ParameterError, match="an integer above 0; got"):
            make()


def test_parts_that_cannot_be() -> None:
    model, _, _ = network(1)
    a, b = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2))
    cases: list[tuple[str, Any, dict[str, Any]]] = [
        ("must be told which of its parts 'weights', 'biases'", model, {"partition": by_kind}),
        ("one of both", model, {"slow": "rest", "fast": "last"}),
        ("no part of MultirateSGD is called 'body'", model, {"slow": "body"}),
        ("the slow part of MultirateSGD has no parameters", model, {"fast": ["rest", "last"]}),
        ("the fast part of MultirateSGD has no parameters", model, {"slow": ["rest", "last"]}),
        ("the part 'slow' of MultirateSGD has no parameters", {"slow": [], "fast": [a]}, {}),
        ("lies in the parts 'slow' and 'fast'", {"slow": [a, b], "fast": [b]}, {}),
        ("holds the same parameter twice", {"slow": [a, a], "fast": [b]}, {}),
        ("needs a model, or a mapping from labels", [a, b], {}),
        ("a mapping is one already", {"slow": [a], "fast": [b]}, {"partition": by_layer}),
        ("must name each part once", model, {"k": {"rest": 3}}),
        ("with one k", model, {"k": {"rest": 3, "last": 1}, "slow": "rest"}),
        ("no part takes every gradient", model, {"k": {"rest": 4, "last": 2}}),
    ]
    for message, params, settings in cases:
        chosen = dict(settings)
        if "partition" in chosen:
            chosen["partition"] = chosen["partition"](model)
        with pytest.raises(errors.ParameterError, match=message):
            MultirateSGD(params, 0.1, **chosen)
    every = {"a": 4, "b": 3, "c": 1}
    three = {label: [nn.Parameter(torch.zeros(2))] for label in every}
    with pytest.raises(errors.ParameterError, match="k = 4 is no multiple of k = 3"):
        MultirateSGD(three, 0.1, k=every)


def test_tied_weights_across_parts() -> None:
    model, _, _ = network(1)
    layers = [nn.Linear(3, 3, bias=False, device="meta") for _ in range(2)]
    layers[1].weight = layers[0].weight
    tied = nn.Sequential(*layers)
    partition = by_pattern(
        list(tied.named_parameters(remove_duplicate=False)), {"0.*": "slow"}, "fast"
    )
    with pytest.raises(errors.ParameterError, match="one tied tensor"):
        MultirateSGD(tied, 0.1, partition=partition)
    with pytest.raises(errors.ParameterError, match="weights are tied"):
        MultirateSGD({"slow": layers[0], "fast": layers[1]}, 0.1)
    assert MultirateSGD(model, 0.1).cycle.every == {"rest": 5, "last": 1}


def test_words_that_cannot_drift_or_do_not_fit() -> None:
    model, _, _ = network(1)
    for word in ("BAOAB", "OABA", "sgld"):
        with pytest.raises(errors.WordError, match="cannot drift linearly"):
            langevin(model, word=word)
    groups = {"slow": model[0], "fast": {"params": list(model[2].parameters()), "word": "ABOBA"}}  # pyright: ignore[reportIndexIssue]
    with pytest.raises(errors.ParameterError, match="one gradient a step cannot serve both"):
        MultirateLangevin(groups, 0.05, friction=0.7, temperature=0.1)
    with pytest.raises(errors.ParameterError, match="'probability' of MultirateDropout"):
        MultirateDropout(model, 0.1, probability=1.0)
    for omega in (-0.1, float("nan")):
        with pytest.raises(errors.ParameterError, match="'weight_decay'"):
            MultirateSGD(model, 0.1, weight_decay=omega)
