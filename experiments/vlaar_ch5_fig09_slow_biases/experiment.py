"""Figures 5.9 to 5.11: a perceptron on the 4-turn spiral with its biases on the slow scale."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from vlaar_ch5_common.training import summarised

from thermograd.data.toy import spirals
from thermograd.experiments import Result
from thermograd.models import perceptron
from thermograd.noise import seeded
from thermograd.optim import MultirateSGD
from thermograd.partitions import by_kind, by_pattern

Method = Callable[[nn.Module], torch.optim.Optimizer]

SEED, K, RATE = 0, 5, 0.2  # the source's h is K · RATE = 1
IN, OUT = "0.bias", "2.bias"


@dataclass(frozen=True)
class Setting:
    """Sizes; the source gives 5% of the data a step and 5 runs, neither width nor length."""

    hidden: int = 100
    points: int = 500
    test_points: int = 1000
    batch_size: int = 25
    steps: int = 10_000
    seeds: int = 5


def slow(*names: str, linear_drift: bool = True, same_step: bool = False) -> Method:
    """Take every fifth gradient of some biases; with one step for five, or the same as others."""

    def make(model: nn.Module) -> torch.optim.Optimizer:
        parts = by_pattern(model, dict.fromkeys(names, "slow"), rest="fast").split(model)
        biases = {"params": list(parts["slow"].items()), "lr": RATE / K if same_step else RATE}
        return MultirateSGD(
            {"slow": biases, "fast": list(parts["fast"].items())},
            RATE,
            k=K,
            momentum=0.0,
            linear_drift=linear_drift,
        )

    return make


def larger(model: nn.Module) -> torch.optim.Optimizer:
    """Take every gradient of the biases, with steps K times as large."""
    parts = by_kind(model).split(model)
    biases = {"params": list(parts["biases"].values()), "lr": K * RATE}
    return torch.optim.SGD([{"params": list(parts["weights"].values())}, biases], RATE)


METHODS: dict[str, Method] = {
    "sgd": lambda model: torch.optim.SGD(model.parameters(), RATE),
    "slow_biases": slow(IN, OUT),
    "slow_input_biases": slow(IN),
    "slow_output_biases": slow(OUT),
    "slow_biases_no_drift": slow(IN, OUT, linear_drift=False),
    "frozen_then_same_step": slow(IN, OUT, linear_drift=False, same_step=True),
    "larger_bias_steps": larger,
}


def smoke() -> Result:
    """Take 300 steps, once."""
    return _measure(Setting(hidden=20, steps=300, seeds=1))


def full() -> Result:
    """Train every method from the same starts on the same batches."""
    return _measure(Setting())


def _measure(setting: Setting) -> Result:
    runs: dict[str, list[float]] = defaultdict(list)
    for seed in range(setting.seeds):
        generator = seeded(SEED + seed)
        data = spirals(setting.points, generator=generator, turns=4)
        test = spirals(setting.test_points, generator=generator, turns=4)
        for name, make in METHODS.items():
            model = perceptron(2, setting.hidden, 1, generator=seeded(seed))
            found = _train(model, make(model), data, setting, seed)
            runs[f"{name}_train_percent"].append(_percent(model, data))
            runs[f"{name}_percent"].append(_percent(model, test))
            runs[f"{name}_loss"].append(found)
    return Result(summarised(runs), asdict(setting), SEED)


def _train(
    model: nn.Module,
    opt: torch.optim.Optimizer,
    data: tuple[Tensor, Tensor],
    setting: Setting,
    seed: int,
) -> float:
    """Train for so many gradients, and return the last training loss.

    Without drift a cycle of K + 1 gradients has K fast steps, so there the weights move less often.
    """
    x, y = data[0], data[1].float()
    generator = seeded(seed)
    for _ in range(setting.steps):
        batch = torch.randint(len(x), (setting.batch_size,), generator=generator)
        opt.zero_grad()
        outputs = model(x[batch]).squeeze(1)
        nn.functional.binary_cross_entropy_with_logits(outputs, y[batch]).backward()
        opt.step()
    with torch.no_grad():
        outputs = model(x).squeeze(1)
        return nn.functional.binary_cross_entropy_with_logits(outputs, y).item()


def _percent(model: nn.Module, data: tuple[Tensor, Tensor]) -> float:
    with torch.no_grad():
        right = (model(data[0]).squeeze(1) > 0) == (data[1] > 0)
    return 100.0 * right.float().mean().item()
