"""Noisy steps stay on the manifold, with tangent momenta and constant memory, however many."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import Tensor

from thermograd.geometry import Circle, Example, LevelSet, Orthogonal, Product, Sphere

from .cases import part_on, points, run, tangency

WORDS = ("OBA", "ABO", "BAOAB", "OBABO", "euler_maruyama")
LIMITS = {torch.float64: 1e-13, torch.float32: 1e-6}
STEPS, SLOW_STEPS = 100_000, 2_000  # a level set takes a hundred times as long


def egg(q: Tensor) -> Tensor:
    return (q[0] ** 2 + 1.7 * q[1] ** 2 + 0.6 * q[2] ** 4 - 1.3).reshape(1)


CASES = {
    "circle": Example(Circle(1.3), shapes=((2, 3),)),
    "sphere per row": Example(Sphere(1.3), shapes=((2, 3),)),
    "sphere per tensor": Example(Sphere(1.3, per="tensor"), shapes=((2, 3),)),
    "sphere per channel": Example(Sphere(1.3, per="channel"), shapes=((3, 2),)),
    "slack per row": Example(Sphere(1.3, slack=True), shapes=((2, 3),)),
    "slack per tensor": Example(Sphere(1.3, slack=True, per="tensor"), shapes=((2, 3),)),
    "slack per channel": Example(Sphere(1.3, slack=True, per="channel"), shapes=((3, 2),)),
    "slack per weight": Example(Sphere(1.3, slack=True, per="weight"), shapes=((2, 3),)),
    "orthogonal tall": Example(Orthogonal(), shapes=((5, 3),)),
    "orthogonal wide": Example(Orthogonal(), shapes=((3, 5),)),
    "orthogonal convolution": Example(Orthogonal(), shapes=((3, 2, 2, 1),)),
    "product": Example(Product.of((Sphere(1.3), Circle(2.1))), shapes=((2, 3), (2,))),
    "level set": Example(LevelSet(egg), shapes=((3,),)),
}


@dataclass(frozen=True)
class Ends:
    """Where a run ended: residual, what sticks out of the tangent space, megabytes gained."""

    residual: float
    tangency: float
    growth: float


def ends(name: str, word: str, dtype: torch.dtype, steps: int, seed: int) -> Ends:
    found = CASES[name]
    part = part_on(found.geometry, points(found, seed, 4, dtype), word)
    run(part, word, 20, 0.01, seed)
    before = resident()
    run(part, word, steps - 20, 0.01, seed + 1)
    scale = max(1.0, *(float(p.abs().max()) for p in part.p)) if part.p else 1.0
    stuck = tangency(part) / scale if part.p else 0.0
    return Ends(float(found.geometry.residual(part).max()), stuck, resident() - before)


def resident() -> float:
    """Return the memory of the process in megabytes; 0 where /proc is not there."""
    if not sys.platform.startswith("linux"):
        return 0.0
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096 / 2**20


@pytest.mark.parametrize("dtype", list(LIMITS), ids=str)
@pytest.mark.parametrize("name", CASES)
def test_steps_stay_on_the_manifold(name: str, dtype: torch.dtype, seed: int) -> None:
    for word in WORDS if name != "level set" else ("OBABO",):
        found = ends(name, word, dtype, 30, seed)
        assert max(found.residual, found.tangency) <= LIMITS[dtype], word


@pytest.mark.long
@pytest.mark.parametrize("dtype", list(LIMITS), ids=str)
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", CASES)
def test_many_steps_stay_on_the_manifold(
    name: str, word: str, dtype: torch.dtype, seed: int
) -> None:
    found = ends(name, word, dtype, SLOW_STEPS if name == "level set" else STEPS, seed)
    assert max(found.residual, found.tangency) <= LIMITS[dtype]
    assert found.growth < 4.0
