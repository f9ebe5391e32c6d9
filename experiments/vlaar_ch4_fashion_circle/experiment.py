"""Figure 4.7, section 4.7.3: Fashion-MNIST from 10,000 images, weights bounded or not."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor, nn

from thermograd.data import load
from thermograd.experiments import Result
from thermograd.geometry import Where
from thermograd.models import perceptron
from thermograd.noise import seeded
from thermograd.optim import CColud

SEED = 47
METHODS = ("c_colud", "sgd_m", "sgd_m_wd1e-4", "sgd_m_wd5e-5", "sgd_m_wd1e-5")
SLICE = 5000  # images in an evaluation

Data = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run.

    Attributes:
        runs: of each method, each with its own start and order of the batches.
        epochs: passes over the training images.
        hidden: units.
        batch: images in a step.
        radii: bounds of the first and of the second layer, of c-CoLud.
        looks: how often the test loss is read on the way, on the first 5,000 test images.
        methods: rows of the table.
    """

    runs: int = 3
    epochs: int = 40
    hidden: int = 1000
    batch: int = 128
    radii: tuple[float, float] = (0.05, 0.1)
    looks: int = 8
    methods: tuple[str, ...] = METHODS[:3]


def smoke(seed: int = SEED) -> Result:
    """Train on generated clouds for a moment."""
    size = Size(runs=1, epochs=4, hidden=50, batch=50, radii=(1.0, 1.0), looks=2)
    data = _clouds(600, seed)
    return Result(_measure(data, data, size, seed), asdict(size), seed)


def full(seed: int = SEED, size: str = "short") -> Result:
    """Train on 10,000 images and test on 60,000; needs `thermograd fetch fashion-mnist`.

    Args:
        seed: of starts and batches.
        size: "short", or "paper" for 5 runs of 400 epochs and all methods.
    """
    chosen = Size(runs=5, epochs=400, looks=40, methods=METHODS) if size == "paper" else Size()
    clothes = load("fashion-mnist")
    train = (clothes.x_test.flatten(1).float().div_(255), clothes.y_test)
    test = (clothes.x.flatten(1).float().div_(255), clothes.y)
    return Result(_measure(train, test, chosen, seed), asdict(chosen), seed)


def _measure(train: Data, test: Data, size: Size, seed: int) -> dict[str, float]:
    found: dict[str, list[dict[str, float]]] = {method: [] for method in size.methods}
    for run in range(size.runs):
        for method in size.methods:
            found[method].append(_train(method, train, test, size, 100 * seed + run))
    measured: dict[str, float] = {}
    for method, runs in found.items():
        for name in runs[0]:
            values = [run[name] for run in runs]
            measured[f"{method}_{name}"] = float(np.mean(values))
            if name in ("percent", "loss"):
                measured[f"{method}_{name}_sd"] = float(np.std(values))
    return measured


def _train(method: str, train: Data, test: Data, size: Size, seed: int) -> dict[str, float]:
    """Train one network; return its scores, and the test loss on the way."""
    began = time.process_time()
    model = perceptron(train[0].shape[1], size.hidden, 10, generator=seeded(seed))
    optimizer = _optimizer(method, model, size, seed)
    curve: dict[str, float] = {}
    few = (test[0][:SLICE], test[1][:SLICE])
    for epoch in range(1, size.epochs + 1):
        for x, y in _batches(train, size.batch, seeded(1000 * seed + epoch)):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        if epoch % max(1, size.epochs // size.looks) == 0:
            curve[f"loss_epoch{epoch}"] = _scores(model, few)[0]
    loss, percent = _scores(model, test)
    train_loss, _ = _scores(model, train)
    largest = float(dict(model.named_parameters())["2.weight"].detach().abs().max())
    seconds = time.process_time() - began
    return {
        "percent": percent,
        "loss": loss,
        "train_loss": train_loss,
        "largest_weight": largest,
        "seconds": seconds,
        **curve,
    }


def _optimizer(method: str, model: nn.Module, size: Size, seed: int) -> torch.optim.Optimizer:
    if method == "c_colud":
        radii: dict[Where, float] = {"0.weight": size.radii[0], "2.weight": size.radii[1]}
        return CColud(
            model, radii, 0.3, friction=1.0, initial_momenta="gradient", generator=seeded(seed)
        )
    decay = float(method.partition("_wd")[2] or 0)
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.8, weight_decay=decay)


def _batches(data: Data, batch: int, generator: torch.Generator) -> Iterator[Data]:
    """Yield the data once, in a new order."""
    x, y = data
    for rows in torch.randperm(len(x), generator=generator).split(batch):
        yield x[rows], y[rows]


def _scores(model: nn.Module, data: Data) -> tuple[float, float]:
    """Return mean loss and accuracy in percent."""
    loss, right = 0.0, 0
    with torch.no_grad():
        for x, y in zip(data[0].split(SLICE), data[1].split(SLICE), strict=True):
            logits = model(x)
            loss += float(nn.functional.cross_entropy(logits, y, reduction="sum"))
            right += int((logits.argmax(1) == y).sum())
    return loss / len(data[0]), 100 * right / len(data[0])


def _clouds(num: int, seed: int) -> Data:
    """Draw ten overlapping Gaussian clouds in eight dimensions."""
    generator = seeded(seed)
    centres = torch.randn(10, 8, generator=generator)
    y = torch.arange(num) % 10
    return centres[y] + 0.7 * torch.randn(num, 8, generator=generator), y
