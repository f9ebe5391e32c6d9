"""What a step of `Langevin` costs beside the draw of its noise and torch's fused optimizers."""

from typing import Any

import torch
from torch import nn

from thermograd.noise import seeded
from thermograd.optim import SGLD, Langevin, UnderdampedSGD

from .race import Work, race

SIZES = (10_000, 1_000_000, 10_000_000)
TENSORS = (1, 60)
SETTINGS: dict[str, Any] = {"lr": 0.01, "friction": 2.0, "temperature": 1e-4}


def rows(rounds: int) -> list[dict[str, Any]]:
    """Return a row for each size and number of tensors: microseconds and ratios."""
    return [_row(size, tensors, rounds) for size in SIZES for tensors in TENSORS]


def _row(size: int, tensors: int, rounds: int) -> dict[str, Any]:
    best = race(_entries(size, tensors), rounds)
    micro = {name: 1e6 * seconds for name, seconds in best.items()}
    return {
        "parameters": size,
        "tensors": tensors,
        "microseconds": micro,
        "gaussian_ratio": micro["Langevin gaussian"] / (micro["draw"] + micro["SGD fused"]),
        "three_point_ratio": micro["Langevin three_point"] / micro["Adam fused"],
    }


def _entries(size: int, tensors: int) -> dict[str, Work]:
    def params() -> list[nn.Parameter]:
        made = [nn.Parameter(torch.zeros(size // tensors)) for _ in range(tensors)]
        for k, param in enumerate(made):
            param.grad = 1e-3 * torch.randn(param.shape, generator=seeded(k))
        return made

    def langevin(noise: str) -> Work:
        return Langevin(params(), noise=noise, generator=seeded(1), **SETTINGS).step

    blank, generator = params(), seeded(2)
    return {
        "draw": lambda: [torch.empty_like(q).normal_(generator=generator) for q in blank],
        "SGD fused": torch.optim.SGD(params(), lr=0.01, momentum=0.9, fused=True).step,
        "Adam fused": torch.optim.Adam(params(), lr=0.01, fused=True).step,
        "Adam foreach": torch.optim.Adam(params(), lr=0.01, foreach=True).step,
        "Langevin gaussian": langevin("gaussian"),
        "Langevin three_point": langevin("three_point"),
        "SGLD gaussian": SGLD(params(), 0.01, temperature=1e-4, generator=seeded(1)).step,
        "UnderdampedSGD": UnderdampedSGD(params(), 0.01, friction=2.0).step,
    }
