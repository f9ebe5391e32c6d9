"""What PyTorch users do with an optimizer works here too."""

import copy
import io
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import lr_scheduler
from torch.utils._python_dispatch import TorchDispatchMode

from thermograd.noise import seeded
from thermograd.optim import SGLD, Langevin, UnderdampedSGD

from .problems import built, langevin, network, steps

Scheduler = Callable[[torch.optim.Optimizer], Any]

SCHEDULERS: dict[str, Scheduler] = {
    "lambda": lambda o: lr_scheduler.LambdaLR(o, lambda t: (2 + t) ** -0.6),
    "multiplicative": lambda o: lr_scheduler.MultiplicativeLR(o, lambda t: 0.9),
    "step": lambda o: lr_scheduler.StepLR(o, 2, 0.5),
    "multistep": lambda o: lr_scheduler.MultiStepLR(o, [2, 4], 0.5),
    "constant": lambda o: lr_scheduler.ConstantLR(o, 0.3, 3),
    "linear": lambda o: lr_scheduler.LinearLR(o, 0.3, 0.9, 4),
    "exponential": lambda o: lr_scheduler.ExponentialLR(o, 0.8),
    "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, 4),
    "restarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 3),
    "polynomial": lambda o: lr_scheduler.PolynomialLR(o, 5),
    "cyclic": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, 2),
    "onecycle": lambda o: lr_scheduler.OneCycleLR(o, 0.1, total_steps=10),
    "onecycle without momentum": lambda o: lr_scheduler.OneCycleLR(
        o, 0.1, total_steps=10, cycle_momentum=False
    ),
    "plateau": lambda o: lr_scheduler.ReduceLROnPlateau(o, patience=0),
    "sequential": lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.ConstantLR(o, 0.2, 2), lr_scheduler.ExponentialLR(o, 0.9)], [2]
    ),
    "chained": lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.ConstantLR(o, 0.2, 2), lr_scheduler.ExponentialLR(o, 0.9)]
    ),
}


def mean_square(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    return ((model(x) - y) ** 2).mean()


def weights(model: nn.Module) -> list[Tensor]:
    return [param.detach().clone() for param in model.parameters()]


def assert_same(first: list[Tensor], second: list[Tensor]) -> None:
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_scheduler_drives_every_optimizer(name: str) -> None:
    model, x, y = network(1)
    optimizers = (
        langevin(model),
        SGLD(model.parameters(), 0.05, temperature=1e-4, generator=seeded(1)),
        UnderdampedSGD(model.parameters(), 0.05, friction=2.0),
    )
    for opt in optimizers:
        scheduler = SCHEDULERS[name](opt)
        seen: set[float] = set()
        for _ in range(8):
            steps(opt, lambda: mean_square(model, x, y), 1)
            scheduler.step(*([0.7] if name == "plateau" else []))
            seen.add(float(opt.param_groups[0]["lr"]))
        assert len(seen) > 1
        assert all(torch.isfinite(w).all() for w in weights(model))


@pytest.mark.parametrize("noise", ["gaussian", "three_point"])
@pytest.mark.parametrize("word", ["BAOAB", "OBABO", "OBA", "sgld", "leimkuhler_matthews"])
def test_restored_run_is_bitwise_the_uninterrupted_one(word: str, noise: str) -> None:
    def run(model: nn.Module, opt: Langevin, scheduler: Any, num: int) -> None:
        for _ in range(num):
            steps(opt, lambda: mean_square(model, x, y), 1)
            scheduler.step()

    def onecycle(opt: Langevin) -> Any:
        return lr_scheduler.OneCycleLR(opt, 0.1, total_steps=20)

    model, x, y = network(1)
    opt = langevin(model, word=word, noise=noise)
    scheduler = onecycle(opt)
    run(model, opt, scheduler, 9)
    saved = io.BytesIO()
    torch.save([model.state_dict(), opt.state_dict(), scheduler.state_dict()], saved)
    run(model, opt, scheduler, 9)

    saved.seek(0)
    parts = torch.load(saved, weights_only=True)
    other, _, _ = network(2)
    resumed = langevin(other, seed=77, word=word, noise=noise)
    again = onecycle(resumed)
    other.load_state_dict(parts[0])
    resumed.load_state_dict(parts[1])
    again.load_state_dict(parts[2])
    run(other, resumed, again, 9)
    assert_same(weights(model), weights(other))


def test_loading_does_not_share_memory_with_the_state_dict() -> None:
    model, x, y = network(1)
    opt = langevin(model)
    steps(opt, lambda: mean_square(model, x, y), 2)
    saved = opt.state_dict()
    other, _, _ = network(1)
    resumed = langevin(other)
    resumed.load_state_dict(saved)
    before = [value["momenta"].clone() for value in saved["state"].values()]
    steps(resumed, lambda: mean_square(other, x, y), 3)
    assert_same(before, [value["momenta"] for value in saved["state"].values()])


def test_deepcopy_continues_by_itself_with_the_same_noise() -> None:
    model, x, y = network(1)
    opt = langevin(model)
    steps(opt, lambda: mean_square(model, x, y), 3)
    twin, twin_opt = copy.deepcopy((model, opt))
    steps(opt, lambda: mean_square(model, x, y), 3)
    steps(twin_opt, lambda: mean_square(twin, x, y), 3)
    assert_same(weights(model), weights(twin))


def test_closure_is_evaluated_and_its_value_returned() -> None:
    model, x, y = network(1)
    opt = langevin(model)

    def closure() -> float:
        opt.zero_grad()
        loss = mean_square(model, x, y)
        loss.backward()
        return loss.item()

    expected = mean_square(model, x, y).item()
    assert opt.step(closure) == expected


def test_grad_scaler_unscales_and_skips_overflow() -> None:
    model, x, y = network(1)
    plain, _, _ = network(1)
    opt, reference = langevin(model), langevin(plain)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for _ in range(3):
        opt.zero_grad()
        scaler.scale(mean_square(model, x, y)).backward()
        scaler.step(opt)
        scaler.update()
    steps(reference, lambda: mean_square(plain, x, y), 3)
    for a, b in zip(weights(model), weights(plain), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)

    held = weights(model)
    opt.zero_grad()
    scaler.scale(mean_square(model, x, y) * float("inf")).backward()
    scaler.step(opt)
    assert_same(held, weights(model))


@pytest.mark.parametrize("to_none", [True, False])
def test_zero_grad_either_way(to_none: bool) -> None:
    model, x, y = network(1)
    opt = langevin(model)
    for _ in range(3):
        opt.zero_grad(set_to_none=to_none)
        mean_square(model, x, y).backward()
        opt.step()
    assert all(torch.isfinite(w).all() for w in weights(model))


def test_frozen_and_unused_parameters_stay_and_draw_nothing() -> None:
    model, x, y = network(1)
    layers = list(model.children())
    layers[0].weight.requires_grad_(False)
    spare = nn.Parameter(torch.full((3,), 0.4))
    opt = Langevin([*model.parameters(), spare], 0.05, friction=0.7, temperature=1e-3)
    frozen = layers[0].weight.detach().clone()  # pyright: ignore[reportCallIssue]
    steps(opt, lambda: mean_square(model, x, y), 3)
    assert torch.equal(frozen, layers[0].weight)  # pyright: ignore[reportArgumentType]
    assert torch.equal(spare.detach(), torch.full((3,), 0.4))
    assert spare not in opt.state


def test_parameter_that_misses_a_gradient_resumes_its_own_step() -> None:
    """It keeps its pending half kick until its next gradient comes."""
    q = nn.Parameter(torch.tensor([0.8], dtype=torch.float64))
    r = nn.Parameter(torch.tensor([0.5], dtype=torch.float64))
    opt = Langevin([q, r], 0.3, friction=0.0, temperature=0.0)
    steps(opt, lambda: (0.6 * q**2 + 0.6 * r**2).sum(), 1)
    opt.param_groups[0]["lr"] = 0.1
    steps(opt, lambda: (0.6 * q**2).sum(), 1)
    assert opt.state[q]["pending"] == 0.1
    assert opt.state[r]["pending"] == 0.3


def test_parameters_added_later_join() -> None:
    model, x, y = network(1)
    layers = list(model.children())
    opt = Langevin(layers[2].parameters(), 0.05, friction=0.7, temperature=1e-3)
    steps(opt, lambda: mean_square(model, x, y), 2)
    opt.add_param_group({"params": layers[0].parameters(), "lr": 0.02, "word": "OBABO"})
    held = weights(layers[0])
    steps(opt, lambda: mean_square(model, x, y), 2)
    assert not torch.equal(held[0], weights(layers[0])[0])


def test_groups_have_their_own_settings() -> None:
    a = nn.Parameter(torch.tensor([0.8], dtype=torch.float64))
    b = nn.Parameter(torch.tensor([0.8], dtype=torch.float64))
    groups = [
        {"params": [a], "lr": 0.3, "word": "BAB"},
        {"params": [b], "lr": 0.2, "word": "OBA", "friction": 1.1, "mass": 2.5},
    ]
    opt = Langevin(groups, 0.5, friction=0.7, temperature=0.0)
    steps(opt, lambda: (0.6 * a**2 + 0.6 * b**2).sum(), 1)
    assert a.item() == pytest.approx(0.8 - 0.3**2 / 2 * 1.2 * 0.8, rel=1e-14)
    assert b.item() == pytest.approx(0.8 - 0.2**2 / 2.5 * 1.2 * 0.8, rel=1e-14)


def test_named_parameters() -> None:
    model, x, y = network(1)
    opt = Langevin(model.named_parameters(), 0.05, friction=0.7, temperature=1e-3)
    steps(opt, lambda: mean_square(model, x, y), 2)
    assert opt.param_groups[0]["param_names"][0] == "0.weight"


def test_channels_last_parameters_move_as_contiguous_ones() -> None:
    ends: list[Tensor] = []
    for layout in (torch.contiguous_format, torch.channels_last):
        conv = built(lambda: nn.Conv2d(3, 5, 3))
        with torch.no_grad():
            for param in conv.parameters():
                param.copy_(torch.linspace(-0.4, 0.3, param.numel()).view(param.shape))
        conv.to(memory_format=layout)  # pyright: ignore[reportCallIssue]
        image = torch.linspace(-0.9, 0.8, 2 * 3 * 36).view(2, 3, 6, 6).to(memory_format=layout)
        opt = Langevin(conv.parameters(), 0.05, friction=0.7, temperature=0.0)
        steps(opt, lambda c=conv, i=image: (c(i) ** 2).mean(), 4)
        assert opt.state[conv.weight]["momenta"].stride() == conv.weight.stride()
        ends.append(conv.weight.detach().contiguous())
    torch.testing.assert_close(*ends, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_parameters_keep_float32_momenta(dtype: torch.dtype) -> None:
    param = nn.Parameter(torch.full((50,), 0.7, dtype=dtype))
    opt = Langevin([param], 0.1, friction=0.7, temperature=1e-2, generator=seeded(1))
    steps(opt, lambda: (param.float() ** 2).sum(), 4)
    state = copy.deepcopy(opt.state_dict())
    assert opt.state[param]["momenta"].dtype is torch.float32
    opt.load_state_dict(state)
    assert opt.state[param]["momenta"].dtype is torch.float32
    assert torch.equal(opt.state[param]["momenta"], state["state"][0]["momenta"])


def test_compiled_model_trains() -> None:
    model, x, y = network(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(model, backend="aot_eager")
        opt = langevin(model)
        first = mean_square(model, x, y).item()
        steps(opt, lambda: mean_square(compiled, x, y), 60)  # pyright: ignore[reportArgumentType]
    assert mean_square(model, x, y).item() < first


class NoHostRead(TorchDispatchMode):
    """Fails on whatever makes the host wait for a device."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket._qualified_op_name
        assert name not in {"aten::_local_scalar_dense", "aten::equal", "aten::nonzero"}, name
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("noise", ["gaussian", "three_point"])
def test_step_never_reads_a_number_back(noise: str) -> None:
    model, x, y = network(1)
    opt = langevin(model, noise=noise, on_nonfinite="ignore")
    mean_square(model, x, y).backward()
    with NoHostRead():
        opt.step()
        opt.step()
    with pytest.raises(AssertionError, match="_local_scalar_dense"), NoHostRead():
        x.sum().item()


def test_global_generator_decides_but_does_not_move() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(12)
        ends = [torch.zeros(0)]
        before = torch.get_rng_state()
        for _ in range(2):
            param = nn.Parameter(torch.zeros(6))
            opt = SGLD([param], 0.1, temperature=0.5)
            steps(opt, lambda q=param: (q**2).sum(), 2)
            ends.append(param.detach())
        assert torch.equal(before, torch.get_rng_state())
        assert torch.equal(ends[1], ends[2])
        torch.manual_seed(13)
        other = nn.Parameter(torch.zeros(6))
        steps(SGLD([other], 0.1, temperature=0.5), lambda: (other**2).sum(), 2)
        assert not torch.equal(ends[1], other.detach())


def test_one_group_may_mix_dtypes() -> None:
    wide = nn.Parameter(torch.full((5,), 0.4, dtype=torch.float64))
    narrow = nn.Parameter(torch.full((7,), 0.4))
    opt = Langevin([wide, narrow], 0.1, friction=0.7, temperature=0.5, generator=seeded(1))
    steps(opt, lambda: (wide**2).sum() + (narrow**2).sum(), 3)
    assert opt.state[wide]["momenta"].dtype is torch.float64
    assert opt.state[narrow]["momenta"].dtype is torch.float32
