"""The training loop and the figures of merit."""

import statistics
import time
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from thermograd.noise import seeded

Data = tuple[Tensor, Tensor]


def train(
    model: nn.Module,
    opt: torch.optim.Optimizer,
    data: Data,
    *,
    batch_size: int,
    epochs: int,
    seed: int,
) -> float:
    """Train with cross entropy on batches without replacement, and return processor seconds."""
    generator, (x, y) = seeded(seed), data
    model.train()
    began = time.process_time()
    for _ in range(epochs):
        order = torch.randperm(len(x), generator=generator)
        for batch in order.split(batch_size):
            opt.zero_grad()
            nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            opt.step()
    return time.process_time() - began


def percent(model: nn.Module, data: Data) -> float:
    """Return the share of right classes, in percent."""
    model.eval()
    with torch.no_grad():
        pairs = zip(data[0].split(500), data[1].split(500), strict=True)
        right = sum(int((model(x).argmax(1) == y).sum()) for x, y in pairs)
    return 100.0 * right / len(data[1])


def summarised(runs: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return mean and, of two runs or more, standard deviation of each row of runs."""
    found: dict[str, float] = {}
    for name, values in runs.items():
        found[name] = statistics.fmean(values)
        if len(values) > 1:
            found[f"{name}_sd"] = statistics.stdev(values)
    return found
