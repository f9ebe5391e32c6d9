"""A whole training step, gradient included, beside `posteriors` and hand-written SGLD.

The model is a perceptron 784-256-256-10 (269,322 parameters) on random data, batch 64.
"""

import functools
import math
from typing import Any

import torch
from torch import Tensor, nn

from thermograd.noise import seeded
from thermograd.optim import SGLD, Langevin

from .race import Work, race

BATCH, INPUTS, CLASSES = 64, 784, 10
LR, TEMPERATURE, FRICTION = 0.01, 1e-4, 2.0


def rows(rounds: int) -> list[dict[str, Any]]:
    """Return a row for each way to do the step: microseconds, and the ratio to torch's SGD."""
    best = race({**_own(), **_peers()}, rounds, slot=0.05)
    base = best["torch SGD, momentum, fused"]
    return [
        {"method": name, "microseconds": 1e6 * seconds, "ratio": seconds / base}
        for name, seconds in best.items()
    ]


def _model() -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return nn.Sequential(
            nn.Linear(INPUTS, 256),
            nn.ReLU(),
            nn.Linear(256, 256),
            nn.ReLU(),
            nn.Linear(256, CLASSES),
        )


def _batch() -> tuple[Tensor, Tensor]:
    generator = seeded(4)
    x = torch.randn(BATCH, INPUTS, generator=generator)
    return x, torch.randint(CLASSES, (BATCH,), generator=generator)


def _loop(make: Any) -> Work:
    model, (x, y) = _model(), _batch()
    optimizer = make(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def _handwritten_sgld() -> Work:
    model, (x, y) = _model(), _batch()
    generator, size = seeded(1), math.sqrt(2 * TEMPERATURE * LR)

    def step() -> None:
        model.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        with torch.no_grad():
            for param in model.parameters():
                noise = torch.randn(param.shape, generator=generator)
                param.add_(param.grad, alpha=-LR).add_(noise, alpha=size)  # type: ignore[arg-type]

    return step


def _own() -> dict[str, Work]:
    sgd = functools.partial(torch.optim.SGD, lr=LR, momentum=0.9, fused=True)
    adam = functools.partial(torch.optim.Adam, lr=LR, fused=True)
    common: dict[str, Any] = {"lr": LR, "temperature": TEMPERATURE}
    return {
        "torch SGD, momentum, fused": _loop(sgd),
        "torch Adam, fused": _loop(adam),
        "thermograd Langevin, gaussian": _loop(
            functools.partial(Langevin, friction=FRICTION, generator=seeded(1), **common)
        ),
        "thermograd Langevin, three_point": _loop(
            functools.partial(
                Langevin, friction=FRICTION, noise="three_point", generator=seeded(1), **common
            )
        ),
        "thermograd SGLD, gaussian": _loop(functools.partial(SGLD, generator=seeded(1), **common)),
        "hand-written SGLD": _handwritten_sgld(),
    }


def _peers() -> dict[str, Work]:
    """Return the samplers of `posteriors`, driven as its documentation says."""
    try:
        from posteriors import sgmcmc
    except ImportError:
        return {}
    x, y = _batch()
    found: dict[str, Work] = {}
    for name in ("baoa", "sghmc", "sgld"):
        model = _model()

        def log_posterior(params: Any, batch: Any, model: nn.Module = model) -> Any:
            logits = torch.func.functional_call(model, params, (batch[0],))
            return -nn.functional.cross_entropy(logits, batch[1]), logits

        transform = getattr(sgmcmc, name).build(log_posterior, lr=LR, temperature=TEMPERATURE)
        state = [transform.init(dict(model.named_parameters()))]

        def step(transform: Any = transform, state: list[Any] = state) -> None:
            state[0] = transform.update(state[0], (x, y), inplace=True)[0]

        found[f"posteriors {name}"] = step
    return found
