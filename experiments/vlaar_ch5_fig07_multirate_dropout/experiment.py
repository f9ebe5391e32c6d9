"""Figure 5.7: random weights asleep for some steps, then moved by a larger one, on MNIST."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import nn
from vlaar_ch5_common.training import Data, percent, summarised, train

from thermograd.data import load
from thermograd.experiments import Result
from thermograd.models import perceptron
from thermograd.noise import seeded
from thermograd.optim import MultirateDropout

Method = Callable[[nn.Module, int], torch.optim.Optimizer]

SEED, RATE = 0, 0.1
ASLEEP = {"0.weight": 0.8, "2.weight": 0.5}  # input and hidden weights; biases stay awake


@dataclass(frozen=True)
class Setting:
    """Sizes; the source gives neither width, k, batch nor length."""

    hidden: int = 100
    images: int = 10_000
    test_images: int = 10_000
    batch_size: int = 100
    epochs: int = 60
    seeds: int = 3


def asleep(k: int, *, joint: bool = True) -> Method:
    """Put weights to sleep for k steps."""

    def make(model: nn.Module, seed: int) -> torch.optim.Optimizer:
        groups = [
            {"params": [(name, q)], "probability": ASLEEP.get(name, 0.0)}
            for name, q in model.named_parameters()
        ]
        return MultirateDropout(groups, RATE, k=k, joint=joint, generator=seeded(seed))

    return make


METHODS: dict[str, Method] = {
    "sgd": lambda model, seed: torch.optim.SGD(model.parameters(), RATE),
    "multirate": asleep(5),
    "ablation": asleep(1, joint=False),
}


def smoke() -> Result:
    """Train on clouds around ten points."""
    generator = seeded(SEED)
    centres = torch.randn(10, 784, generator=generator)
    y = torch.randint(10, (300,), generator=generator)
    x = centres[y] + 2.0 * torch.randn(300, 784, generator=generator)
    return _measure((x, y), (x, y), Setting(hidden=20, epochs=4, batch_size=30, seeds=1))


def full() -> Result:
    """Train on 10,000 images of MNIST; needs `thermograd fetch mnist`."""
    digits = load("mnist").normalised()
    setting = Setting()
    train_on = (digits.x[: setting.images].flatten(1), digits.y[: setting.images])
    return _measure(train_on, (digits.x_test.flatten(1), digits.y_test), setting)


def _measure(data: Data, test: Data, setting: Setting) -> Result:
    runs: dict[str, list[float]] = defaultdict(list)
    for seed in range(setting.seeds):
        for name, make in METHODS.items():
            model = perceptron(784, setting.hidden, 10, generator=seeded(seed))
            opt = make(model, seed)
            train(
                model,
                opt,
                data,
                batch_size=setting.batch_size,
                epochs=setting.epochs,
                seed=seed,
            )
            whole, trained = _scores(model, opt, test), percent(model, data)
            runs[f"{name}_percent"].append(whole[0])
            runs[f"{name}_loss"].append(whole[1])
            runs[f"{name}_train_percent_as_left"].append(trained)
    return Result(summarised(runs), asdict(setting), SEED)


def _scores(model: nn.Module, opt: torch.optim.Optimizer, test: Data) -> tuple[float, float]:
    """Return accuracy and loss on the test set, with all weights awake."""
    if isinstance(opt, MultirateDropout):
        with opt.whole():
            return _scores(model, torch.optim.SGD(model.parameters(), 0.0), test)
    with torch.no_grad():
        loss = nn.functional.cross_entropy(model(test[0]), test[1]).item()
    return percent(model, test), loss
