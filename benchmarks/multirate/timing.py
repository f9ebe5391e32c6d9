"""Times a cycle of k steps of SGD with momentum and of `MultirateSGD`, and predicts their ratio.

Times are processor time of one thread, which a busy machine disturbs less than the clock; the
entries take turns, and the best of all rounds counts.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from thermograd.models import resnet34
from thermograd.multirate import time_ratio
from thermograd.noise import seeded
from thermograd.optim import MultirateSGD
from thermograd.partitions import by_pattern

LR, MOMENTUM, K = 0.001, 0.9, 5
FAST = {"fc": ("fc.*",), "last block and fc": ("layer4.2.*", "fc.*")}

Work = Callable[[], object]


@dataclass(frozen=True)
class Setting:
    """What is trained: the network's width, the batch, and calls between slow gradients."""

    width: int = 64
    batch: int = 16
    k: int = K


def rows(setting: Setting, rounds: int) -> list[dict[str, Any]]:
    """Return a row for each fast part: measured and predicted time over that of SGD-m."""
    x, y = _batch(setting.batch)
    entries = {"sgd": _cycle(setting, x, y, None), **_shares(setting, x, y)}
    for name in FAST:
        entries[name] = _cycle(setting, x, y, name)
        entries[f"backward of {name}"] = _backward(setting, x, y, name)
    best = _best(entries, rounds)
    whole, step = best["backward"], best["sgd"] / setting.k
    found: list[dict[str, Any]] = []
    for name in FAST:
        fast = min(1.0, best[f"backward of {name}"] / whole)
        backward = min(1.0, whole / step)
        found.append(
            {
                "fast": name,
                "seconds per step": best[name] / setting.k,
                "seconds per step of SGD-m": step,
                "measured ratio": best[name] / best["sgd"],
                "share of the backward pass": backward,
                "share of the fast part in it": fast,
                "predicted ratio": time_ratio(setting.k, fast=fast, backward=backward),
            }
        )
    return found


def _batch(size: int) -> tuple[Tensor, Tensor]:
    generator = seeded(4)
    x = torch.randn(size, 3, 32, 32, generator=generator)
    return x, torch.randint(10, (size,), generator=generator)


def _cycle(setting: Setting, x: Tensor, y: Tensor, fast: str | None) -> Work:
    """Return k steps of training, of SGD-m if no part is fast."""
    model = resnet34(width=setting.width, generator=seeded(3))
    if fast is None:
        opt: torch.optim.Optimizer = torch.optim.SGD(model.parameters(), LR, momentum=MOMENTUM)
    else:
        opt = MultirateSGD(
            model, LR, k=setting.k, momentum=MOMENTUM, partition=_parts(model, fast), slow="slow"
        )

    def run() -> None:
        for _ in range(setting.k):
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()

    return run


def _parts(model: nn.Module, fast: str) -> Any:
    return by_pattern(model, dict.fromkeys(FAST[fast], "fast"), rest="slow")


def _shares(setting: Setting, x: Tensor, y: Tensor) -> dict[str, Work]:
    return {"backward": _backward(setting, x, y, None)}


def _backward(setting: Setting, x: Tensor, y: Tensor, fast: str | None) -> Work:
    """Return a backward pass to some parameters only, timed without its forward pass."""
    model = resnet34(width=setting.width, generator=seeded(3))
    params = list(model.parameters())
    if fast is not None:
        model.requires_grad_(False)
        params = list(_parts(model, fast).split(model)["fast"].values())
        for q in params:
            q.requires_grad_(True)

    def run() -> float:
        loss = nn.functional.cross_entropy(model(x), y)
        began = time.process_time()
        torch.autograd.grad(loss, params)
        return time.process_time() - began

    return run


def _best(entries: dict[str, Work], rounds: int) -> dict[str, float]:
    """Return seconds of each entry, the best of the rounds after one to warm up."""
    best = dict.fromkeys(entries, float("inf"))
    for number in range(rounds + 1):
        for name, work in entries.items():
            began = time.process_time()
            told = work()
            seconds = told if isinstance(told, float) else time.process_time() - began
            if number:
                best[name] = min(best[name], seconds)
    return best
