"""What a step costs on circles and spheres, beside the same step of `Langevin`."""

import time
import warnings
from typing import Any

import torch
from torch import nn

from benchmarks.speed.race import Work, race
from thermograd.geometry import Circle, Manifold, Sphere
from thermograd.noise import seeded
from thermograd.optim import ConstrainedLangevin, Langevin

SIZES = (10_000, 1_000_000, 10_000_000)
TENSORS = (1, 60)
WORDS = ("OBA", "BAOAB")
SETTINGS: dict[str, Any] = {"lr": 0.01, "friction": 2.0, "temperature": 1e-4}
RULES: dict[str, Manifold] = {
    "Circle": Circle(0.5),
    "Sphere": Sphere(0.5),
    "Sphere, slack": Sphere(0.5, slack=True),
    "Sphere, per tensor": Sphere(0.5, per="tensor"),
}


def rows(rounds: int) -> list[dict[str, Any]]:
    """Return a row for each size, number of tensors and word: microseconds and ratios."""
    return [_row(n, tensors, word, rounds) for n in SIZES for tensors in TENSORS for word in WORDS]


def _row(size: int, tensors: int, word: str, rounds: int) -> dict[str, Any]:
    best = race(_entries(size, tensors, word), rounds, clock=time.process_time)
    micro = {name: 1e6 * seconds for name, seconds in best.items()}
    ratios = {name: micro[name] / micro["Langevin"] for name in RULES}
    shown = {"parameters": size, "tensors": tensors, "word": word}
    return {**shown, "microseconds": micro, "ratios": ratios}


def _entries(size: int, tensors: int, word: str) -> dict[str, Work]:
    def model() -> nn.ParameterList:
        width = 100 if size // tensors >= 1000 else 10
        shape = (size // tensors // width, width)
        made = [0.05 * torch.randn(shape, generator=seeded(k)) for k in range(tensors)]
        params = nn.ParameterList(made)
        for k, param in enumerate(params):
            param.grad = 1e-3 * torch.randn(param.shape, generator=seeded(tensors + k))
        return params

    free = Langevin(model().parameters(), word=word, generator=seeded(1), **SETTINGS)
    entries: dict[str, Work] = {"Langevin": free.step}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they start off the spheres
        for name, rule in RULES.items():
            held = ConstrainedLangevin(model(), rule, word=word, generator=seeded(1), **SETTINGS)
            entries[name] = held.step
    return entries
