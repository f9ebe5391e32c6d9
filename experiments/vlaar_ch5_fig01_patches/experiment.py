"""Figure 5.1: images with patches, learned with a small rate, a large rate, and both averaged."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import nn
from vlaar_ch5_common.training import Data, percent, summarised, train

from thermograd.data import load
from thermograd.data.patches import augment, draw_patch
from thermograd.experiments import Result
from thermograd.models import resnet18
from thermograd.noise import seeded
from thermograd.optim import TwoRateSGD

Method = Callable[[nn.Module], torch.optim.Optimizer]

SEED, SMALL, LARGE, K = 0, 0.004, 0.1, 25
MOMENTUM, WEIGHT_DECAY = 0.9, 5e-4  # the source names neither


@dataclass(frozen=True)
class Setting:
    """Sizes; the source trains a WideResNet-16 on all 50,000 images."""

    width: int = 8
    images: int = 10_000
    test_images: int = 2_000
    batch_size: int = 100  # whole cycles of K calls: the average is what is tested
    epochs: int = 12
    seeds: int = 2


def _sgd(rate: float) -> Method:
    return lambda model: torch.optim.SGD(
        model.parameters(), rate, MOMENTUM, weight_decay=WEIGHT_DECAY
    )


METHODS: dict[str, Method] = {
    "small": _sgd(SMALL),
    "large": _sgd(LARGE),
    "both": lambda model: TwoRateSGD(
        model, SMALL, k=K, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY
    ),
}
VALIDATION = {"clean": (1.0, 0.0), "mixed": (0.0, 0.0), "patch_only": (0.0, 1.0)}


def smoke() -> Result:
    """Train on 100 images of noise."""
    x = torch.randn(160, 3, 12, 12, generator=seeded(SEED))
    y = torch.randint(10, (160,), generator=seeded(SEED + 1))
    setting = Setting(width=4, images=100, test_images=60, batch_size=20, epochs=5, seeds=1)
    return _measure((x[:100], y[:100]), (x[100:], y[100:]), setting)


def full() -> Result:
    """Train on 10,000 images of CIFAR-10; needs `thermograd fetch cifar10`."""
    images, setting = load("cifar10").normalised(), Setting()
    chosen, few = slice(setting.images), slice(setting.test_images)
    train_on = (images.x[chosen], images.y[chosen])
    return _measure(train_on, (images.x_test[few], images.y_test[few]), setting)


def _measure(data: Data, test: Data, setting: Setting) -> Result:
    runs: dict[str, list[float]] = defaultdict(list)
    for seed in range(setting.seeds):
        generator = seeded(SEED + seed)
        patch = draw_patch(10, 3, generator=generator)
        x, _ = augment(*data, patch, generator=generator)
        for name, make in METHODS.items():
            model = resnet18(10, width=setting.width, generator=seeded(seed))
            train(
                model,
                make(model),
                (x, data[1]),
                batch_size=setting.batch_size,
                epochs=setting.epochs,
                seed=seed,
            )
            for kind, (clean, alone) in VALIDATION.items():
                seen, _ = augment(
                    *test, patch, generator=seeded(seed), clean=clean, patch_only=alone
                )
                runs[f"{name}_{kind}_percent"].append(percent(model, (seen, test[1])))
    return Result(summarised(runs), asdict(setting), SEED)
