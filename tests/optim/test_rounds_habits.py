"""What PyTorch users do with an optimizer works with the smoothing ones too, mid-round included."""

import copy
import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import lr_scheduler

from thermograd import _errors as errors
from thermograd.noise import seeded
from thermograd.optim import (
    HEAT,
    HJ,
    ControlledSGD,
    ElasticSGD,
    EntropyAdam,
    EntropySGD,
    Parle,
    TrivializedSGD,
    ViscousHJ,
)
from thermograd.optim._adapter import DynamicsOptimizer
from thermograd.replicas import local
from thermograd.schedules import Geometric

from .problems import built, network, steps
from .test_bad_input import spoil
from .test_torch_habits import SCHEDULERS, NoHostRead, assert_same, mean_square, weights

Make = Callable[..., DynamicsOptimizer]


def pull(positions: Sequence[Tensor], time: float) -> list[Tensor]:
    return [0.1 * q for q in positions]


def made(kind: type[DynamicsOptimizer], lr: float, **fixed: Any) -> Make:
    def make(params: Any, seed: int = 3, **more: Any) -> DynamicsOptimizer:
        given: dict[str, Any] = {"lr": lr, **fixed, **more}
        if "temperature" in given or kind in (HEAT, TrivializedSGD):
            given["generator"] = seeded(seed)
        return kind(params, **given)

    return make


INNER: dict[str, Any] = {"inner_lr": 0.05, "scope": Geometric(2.0, 0.9), "inner_steps": 4}
MAKERS: dict[str, Make] = {
    "EntropySGD": made(EntropySGD, 0.9, momentum=0.5, temperature=1e-4, **INNER),
    "EntropySGD with BAOAB": made(
        EntropySGD, 0.9, inner="BAOAB", friction=0.7, temperature=1e-4, **INNER
    ),
    "EntropyAdam": made(EntropyAdam, 0.01, temperature=1e-4, **INNER),
    "HJ 1": made(HJ, 0.9, **INNER),
    "HJ 2": made(HJ, 0.1, version=2, momentum=0.5, **INNER),
    "HEAT": made(HEAT, 0.1, scope=1e-3, inner_steps=4),
    "ViscousHJ": made(ViscousHJ, 0.02, scope=1.7, ratio=0.3, temperature=1e-4),
    "TrivializedSGD": made(TrivializedSGD, 0.05, decay=9.0, field=0.01),
    "ControlledSGD": made(ControlledSGD, 0.05, control=pull, temperature=1e-4),
}

each = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_scheduler_drives_every_optimizer(name: str) -> None:
    model, x, y = network(1)
    for make in MAKERS.values():
        opt = make(model.parameters())
        scheduler = SCHEDULERS[name](opt)
        seen: set[float] = set()
        for _ in range(8):
            steps(opt, lambda: mean_square(model, x, y), 1)
            scheduler.step(*([0.7] if name == "plateau" else []))
            seen.add(float(opt.param_groups[0]["lr"]))
        assert len(seen) > 1
        assert all(torch.isfinite(w).all() for w in weights(model))


@each
def test_restored_run_is_bitwise_the_uninterrupted_one(make: Make) -> None:
    model, x, y = network(1)
    opt = make(model.parameters())
    scheduler = lr_scheduler.StepLR(opt, 3, 0.7)

    def run(net: nn.Module, which: Any, plan: Any) -> None:
        for _ in range(9):
            steps(which, lambda: mean_square(net, x, y), 1)
            plan.step()

    run(model, opt, scheduler)
    saved = io.BytesIO()
    torch.save([model.state_dict(), opt.state_dict(), scheduler.state_dict()], saved)
    run(model, opt, scheduler)
    saved.seek(0)
    parts = torch.load(saved, weights_only=True)
    other, _, _ = network(2)
    resumed = make(other.parameters(), seed=77)
    again = lr_scheduler.StepLR(resumed, 3, 0.7)
    other.load_state_dict(parts[0])
    resumed.load_state_dict(parts[1])
    again.load_state_dict(parts[2])
    run(other, resumed, again)
    assert_same(weights(model), weights(other))


@each
def test_deepcopy_continues_by_itself(make: Make) -> None:
    model, x, y = network(1)
    opt = make(model.parameters())
    steps(opt, lambda: mean_square(model, x, y), 3)
    twin, twin_opt = copy.deepcopy((model, opt))
    steps(opt, lambda: mean_square(model, x, y), 6)
    steps(twin_opt, lambda: mean_square(twin, x, y), 6)
    assert_same(weights(model), weights(twin))


@each
def test_closure_is_evaluated_and_its_value_returned(make: Make) -> None:
    model, x, y = network(1)
    opt = make(model.parameters())

    def closure() -> float:
        opt.zero_grad()
        loss = mean_square(model, x, y)
        loss.backward()
        return loss.item()

    expected = mean_square(model, x, y).item()
    assert opt.step(closure) == expected


@each
def test_frozen_and_unused_parameters_stay(make: Make) -> None:
    model, x, y = network(1)
    layer = next(iter(model.children()))
    assert isinstance(layer.weight, Tensor)
    layer.weight.requires_grad_(False)
    spare = nn.Parameter(torch.full((3,), 0.4))
    opt = make([*model.parameters(), spare])
    frozen = layer.weight.detach().clone()
    steps(opt, lambda: mean_square(model, x, y), 9)
    assert torch.equal(frozen, layer.weight)
    assert torch.equal(spare.detach(), torch.full((3,), 0.4))


@each
def test_parameters_added_mid_round_join(make: Make) -> None:
    model, x, y = network(1)
    layers = list(model.children())
    opt = make(layers[2].parameters())
    steps(opt, lambda: mean_square(model, x, y), 2)
    opt.add_param_group({"params": layers[0].parameters(), "lr": 0.02})
    held = weights(layers[0])
    steps(opt, lambda: mean_square(model, x, y), 7)
    assert not torch.equal(held[0], weights(layers[0])[0])


@each
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_parameters_have_float32_state(make: Make, dtype: torch.dtype) -> None:
    param = nn.Parameter(torch.full((50,), 0.7, dtype=dtype))
    opt = make([param])
    steps(opt, lambda: (param.float() ** 2).sum(), 6)
    opt.load_state_dict(copy.deepcopy(opt.state_dict()))
    steps(opt, lambda: (param.float() ** 2).sum(), 6)
    found = {v.dtype for v in opt.state[param].values() if isinstance(v, Tensor)}
    assert found <= {torch.float32}
    assert torch.isfinite(param).all()


@each
def test_one_group_may_mix_dtypes(make: Make) -> None:
    wide = nn.Parameter(torch.full((5,), 0.4, dtype=torch.float64))
    narrow = nn.Parameter(torch.full((7,), 0.4))
    opt = make([wide, narrow])
    steps(opt, lambda: (wide**2).sum() + (narrow**2).sum(), 9)
    assert not torch.equal(wide.detach(), torch.full((5,), 0.4, dtype=torch.float64))
    assert not torch.equal(narrow.detach(), torch.full((7,), 0.4))


@each
def test_channels_last_parameters_move_as_contiguous_ones(make: Make) -> None:
    if make in (MAKERS["HEAT"], MAKERS["TrivializedSGD"]):
        pytest.skip("noise is drawn in the order of memory")
    ends: list[Tensor] = []
    for layout in (torch.contiguous_format, torch.channels_last):
        conv = built(lambda: nn.Conv2d(3, 5, 3))
        with torch.no_grad():
            for param in conv.parameters():
                param.copy_(torch.linspace(-0.4, 0.3, param.numel()).view(param.shape))
        conv.to(memory_format=layout)  # pyright: ignore[reportCallIssue]
        image = torch.linspace(-0.9, 0.8, 2 * 3 * 36).view(2, 3, 6, 6).to(memory_format=layout)
        fixed = {} if make in (MAKERS["HJ 1"], MAKERS["HJ 2"]) else {"temperature": 0.0}
        opt = make(conv.parameters(), **fixed)
        steps(opt, lambda c=conv, i=image: (c(i) ** 2).mean(), 6)
        ends.append(conv.weight.detach().contiguous())
    torch.testing.assert_close(*ends, rtol=1e-5, atol=1e-6)


@each
def test_step_never_reads_a_number_back(make: Make) -> None:
    model, x, y = network(1)
    opt = make(model.parameters(), on_nonfinite="ignore")
    mean_square(model, x, y).backward()
    with NoHostRead():
        for _ in range(9):
            opt.step()


@each
def test_grad_scaler_skips_overflow(make: Make) -> None:
    model, x, y = network(1)
    opt = make(model.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for factor in (1.0, float("inf")):
        held = weights(model)
        opt.zero_grad()
        scaler.scale(mean_square(model, x, y) * factor).backward()
        scaler.step(opt)
        scaler.update()
        if factor > 1:
            assert_same(held, weights(model))


@each
def test_nonfinite_gradient_raises_or_is_skipped_without_a_step_of_the_clock(make: Make) -> None:
    ends: list[Tensor] = []
    for faults in (False, True):
        q = nn.Parameter(torch.full((3,), 0.4))
        opt = make([q], on_nonfinite="skip" if faults else "raise")
        for n in range(9):
            if faults and n == 2:
                q.grad = torch.full((3,), torch.nan)
                opt.step()
            steps(opt, lambda p=q: (p**2).sum(), 1)
        ends.append(q.detach())
        assert opt.skipped_steps == faults
    assert torch.equal(*ends)
    q.grad = torch.full((3,), torch.nan)
    opt.on_nonfinite = "raise"
    with pytest.raises(errors.NonFiniteError, match="Nothing was written"):
        opt.step()


@each
@pytest.mark.parametrize("how", ["groups", "count", "foreign", "clock"])
def test_state_dict_that_does_not_fit_changes_nothing(make: Make, how: str) -> None:
    model, x, y = network(1)
    opt = make(model.parameters())
    steps(opt, lambda: mean_square(model, x, y), 3)
    saved = opt.state_dict()
    if how == "clock":
        spoiled = {name: value for name, value in saved.items() if name != "clock"}
    else:
        spoiled = spoil(saved, how)
    held = copy.deepcopy(saved)
    with pytest.raises(errors.StateError):
        opt.load_state_dict(spoiled)
    now = opt.state_dict()
    assert now["clock"] == held["clock"]
    for k, state in held["state"].items():
        for name, value in state.items():
            if isinstance(value, Tensor):
                assert torch.equal(now["state"][k][name], value)


def test_other_geometries_are_refused_or_kept() -> None:
    from thermograd.geometry import Circle, Orthogonal

    q = nn.Parameter(torch.eye(4, 3))
    good: dict[str, Any] = {"inner_lr": 0.05, "scope": 2.0, "inner_steps": 3}
    with pytest.raises(errors.ParameterError, match="hidden"):
        EntropySGD([{"params": [q], "geometry": Circle(1.3)}], **good)
    opt = EntropySGD(
        [{"params": [q], "geometry": Orthogonal()}], inner="BAOAB", friction=0.5, **good
    )
    target = torch.linspace(-1, 1, 12).view(4, 3)
    for _ in range(9):
        steps(opt, lambda: ((q - target) ** 2).sum(), 1)
        torch.testing.assert_close(q.T @ q, torch.eye(3), rtol=0, atol=2e-6)
    assert not torch.equal(q.detach(), torch.eye(4, 3))


REPLICAS: dict[str, tuple[type[Parle] | type[ElasticSGD], dict[str, Any]]] = {
    "Parle": (
        Parle,
        {"lr": 0.5, "inner_lr": 0.05, "scope": 2.0, "coupling": 0.9, "inner_steps": 3},
    ),
    "ElasticSGD": (ElasticSGD, {"lr": 0.05, "coupling": 0.9}),
}


def crew(
    name: str, models: Sequence[nn.Module], seed: int = 3, **more: Any
) -> list[DynamicsOptimizer]:
    kind, settings = REPLICAS[name]
    return [
        kind(
            model.parameters(),
            replica=end,
            temperature=1e-4,
            generator=seeded(seed + number),
            **{**settings, **more},
        )
        for number, (model, end) in enumerate(zip(models, local(len(models)), strict=True))
    ]


def run_crew(models: Sequence[nn.Module], opts: Sequence[Any], num: int) -> None:
    _, x, y = network(1)
    for _ in range(num):
        for model, opt in zip(models, opts, strict=True):
            steps(opt, lambda m=model: mean_square(m, x, y), 1)


@pytest.mark.parametrize("name", REPLICAS)
def test_restored_replicas_are_bitwise_the_uninterrupted_ones(name: str) -> None:
    models = [network(seed)[0] for seed in (1, 2)]
    opts = crew(name, models)
    run_crew(models, opts, 7)
    saved = io.BytesIO()
    torch.save([[m.state_dict() for m in models], [o.state_dict() for o in opts]], saved)
    run_crew(models, opts, 8)
    saved.seek(0)
    parts = torch.load(saved, weights_only=True)
    others = [network(seed)[0] for seed in (5, 6)]
    resumed = crew(name, others, seed=40)
    for other, opt, state, inner in zip(others, resumed, *parts, strict=True):
        other.load_state_dict(state)
        opt.load_state_dict(inner)
    run_crew(others, resumed, 8)
    for model, other in zip(models, others, strict=True):
        assert_same(weights(model), weights(other))


@pytest.mark.parametrize("name", REPLICAS)
def test_schedulers_drive_replicas(name: str) -> None:
    models = [network(seed)[0] for seed in (1, 2)]
    for plan in SCHEDULERS.values():
        opts = crew(name, models)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*lr_scheduler.step.*")
            schedulers = [plan(opt) for opt in opts]
        for _ in range(4):
            run_crew(models, opts, 1)
            for scheduler in schedulers:
                is_plateau = isinstance(scheduler, lr_scheduler.ReduceLROnPlateau)
                scheduler.step(*([0.7] if is_plateau else []))
        assert all(torch.isfinite(w).all() for model in models for w in weights(model))
