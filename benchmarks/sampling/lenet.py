"""LeNet on data of MNIST's shape, batches of 128, one walker, beside the same loop with SGD."""

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

import thermograd
from thermograd.models import lenet
from thermograd.noise import seeded
from thermograd.potentials import Network

NUM_DATA, BATCH, STEPS = 4096, 128, 200  # the checks at the end of a run cost two more gradients
OWN, SGD = "thermograd baoab", "torch SGD, momentum, fused"


def rows(rounds: int) -> list[dict[str, Any]]:
    """Return milliseconds per step, and the ratio to SGD."""
    raced = {SGD: _sgd()} | {
        f"{OWN}, {name}": _own(compile) for name, compile in (("eager", False), ("compiled", True))
    }
    best = dict.fromkeys(raced, float("inf"))
    for _ in range(rounds):
        for name, advance in raced.items():
            began = time.perf_counter()
            advance(STEPS)
            best[name] = min(best[name], (time.perf_counter() - began) / STEPS)
    return [
        {"method": name, "milliseconds": 1e3 * seconds, "ratio": seconds / best[SGD]}
        for name, seconds in best.items()
    ]


def _model() -> nn.Module:
    return lenet(generator=seeded(4))


def _data() -> tuple[torch.Tensor, torch.Tensor]:
    generator = seeded(6)
    x = torch.randn(NUM_DATA, 1, 28, 28, generator=generator)
    return x, torch.randint(10, (NUM_DATA,), generator=generator)


def _sgd() -> Callable[[int], object]:
    model, (x, y), generator = _model(), _data(), seeded(8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)

    def advance(steps: int) -> None:
        for _ in range(steps):
            rows = torch.randint(NUM_DATA, (BATCH,), generator=generator)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
            optimizer.step()

    return advance


def _own(compile: bool) -> Callable[[int], object]:
    run = thermograd.sample(
        Network(_model(), "cross_entropy", _data(), batch_size=BATCH),
        walkers=1,
        steps=3,
        every=10**6,
        seed=7,
        temperature=0.7,
        friction=1.3,
        step_size=1e-4,
        compile=compile,
        progress=False,
    )
    return lambda steps: run.extend(steps, progress=False)
