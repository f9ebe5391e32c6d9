"""Figure 5.4 at a small size: fine-tuning a ResNet with its last layers fast and the rest slow."""

import copy
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from vlaar_ch5_common.training import Data, percent, summarised, train

from thermograd.data import load
from thermograd.experiments import Result
from thermograd.models import resnet18
from thermograd.noise import seeded
from thermograd.optim import MultirateSGD
from thermograd.partitions import by_pattern

Method = Callable[[nn.Module, float], torch.optim.Optimizer]

SEED, MOMENTUM, K = 0, 0.9, 5
BLOCK = ("layer4.1.*", "fc.*")


@dataclass(frozen=True)
class Setting:
    """Sizes and rates: of the first training, of the tuning, and how often it is repeated."""

    width: int = 8
    first_epochs: int = 8
    first_rate: float = 0.05
    first_images: int = 10_000
    images: int = 2_000
    epochs: int = 5
    rates: tuple[float, ...] = (0.003, 0.01, 0.03)
    batch_size: int = 32
    seeds: int = 5


def sgd(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    """Tune everything at one rate."""
    return torch.optim.SGD(model.parameters(), rate, momentum=MOMENTUM)


def multirate(patterns: tuple[str, ...]) -> Method:
    """Tune some layers with every gradient and the rest with every fifth."""

    def make(model: nn.Module, rate: float) -> torch.optim.Optimizer:
        parts = by_pattern(model, dict.fromkeys(patterns, "fast"), rest="slow")
        return MultirateSGD(model, rate, k=K, momentum=MOMENTUM, partition=parts)

    return make


METHODS: dict[str, Method] = {
    "sgd": sgd,
    "multirate_block_fc": multirate(BLOCK),
}


def smoke() -> Result:
    """Tune on noise with a colour for each class, after ten steps of first training."""
    generator = seeded(SEED)
    y = torch.randint(10, (120,), generator=generator)
    x = torch.randn(120, 3, 16, 16, generator=generator)
    x += torch.eye(10)[y][:, :3, None, None] - torch.eye(10)[y][:, 5:8, None, None]
    setting = Setting(width=4, first_epochs=1, images=40, epochs=2, batch_size=10, seeds=1)
    return _measure(((x, y), (x, y)), setting)


def full() -> Result:
    """Train on one half of the classes of CIFAR-10, tune on the other; needs `thermograd fetch`."""
    images = load("cifar10").normalised()
    return _measure(((images.x, images.y), (images.x_test, images.y_test)), Setting())


def _measure(data: tuple[Data, Data], setting: Setting) -> Result:
    first, second = ([_half(part, number) for part in data] for number in (0, 1))
    model = resnet18(5, width=setting.width, generator=seeded(SEED))
    opt = torch.optim.SGD(model.parameters(), setting.first_rate, MOMENTUM, weight_decay=5e-4)
    some = (first[0][0][: setting.first_images], first[0][1][: setting.first_images])
    train(model, opt, some, batch_size=128, epochs=setting.first_epochs, seed=SEED)
    rates: dict[str, float] = {}
    for name, make in METHODS.items():
        found = {rate: _validated(model, second[0], setting, make, rate) for rate in setting.rates}
        rates[name] = max(found, key=lambda rate: found[rate])
    runs: dict[str, list[float]] = defaultdict(list)
    for seed in range(setting.seeds):
        order = torch.randperm(len(second[0][0]), generator=seeded(seed))[: setting.images]
        tuned_on = (second[0][0][order], second[0][1][order])
        head = _new_head(model, seed)
        for name, make in METHODS.items():
            tuned = copy.deepcopy(model)
            tuned.get_submodule("fc").load_state_dict(head)
            seconds = train(
                tuned,
                make(tuned, rates[name]),
                tuned_on,
                batch_size=setting.batch_size,
                epochs=setting.epochs,
                seed=seed,
            )
            runs[f"{name}_percent"].append(percent(tuned, second[1]))
            runs[f"{name}_seconds"].append(seconds)
    measured = {f"{name}_rate": rate for name, rate in rates.items()}
    measured |= _compared(runs, percent(model, first[1]))
    return Result(measured, asdict(setting), SEED)


def _validated(model: nn.Module, data: Data, setting: Setting, make: Method, rate: float) -> float:
    """Return what a method reaches at a rate on training images that it has not seen."""
    order = torch.randperm(len(data[0]), generator=seeded(setting.seeds))
    chosen, other = order[: setting.images], order[setting.images : 2 * setting.images]
    tuned = copy.deepcopy(model)
    tuned.get_submodule("fc").load_state_dict(_new_head(model, setting.seeds))
    pair = (data[0][chosen], data[1][chosen])
    size, epochs = setting.batch_size, setting.epochs
    train(tuned, make(tuned, rate), pair, batch_size=size, epochs=epochs, seed=setting.seeds)
    return percent(tuned, (data[0][other], data[1][other]))


def _half(data: Data, number: int) -> Data:
    """Return the images of classes 0 to 4 or 5 to 9, as classes 0 to 4."""
    x, y = data
    chosen = y // 5 == number
    return x[chosen], y[chosen] - 5 * number


def _new_head(model: nn.Module, seed: int) -> dict[str, Tensor]:
    """Return a last layer for the new classes: N(0, 0.01²), the same for every method."""
    old = model.get_submodule("fc").state_dict()
    generator = seeded(seed)
    return {name: 0.01 * torch.randn(q.shape, generator=generator) for name, q in old.items()}


def _compared(runs: dict[str, list[float]], first: float) -> dict[str, float]:
    measured = {"first_percent": first, **summarised(runs)}
    for name in METHODS:
        seconds = [a / b for a, b in zip(runs[f"{name}_seconds"], runs["sgd_seconds"], strict=True)]
        gains = [a - b for a, b in zip(runs[f"{name}_percent"], runs["sgd_percent"], strict=True)]
        measured[f"{name}_time_ratio"] = min(seconds)
        measured |= summarised({f"{name}_gain": gains})
    return measured
