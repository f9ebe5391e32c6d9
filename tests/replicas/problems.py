"""A small problem for each replica, and loops that run replicas in turn."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

STIFFNESS = (1.69, 0.8, 2.3)
A = 0.3
STARTS = ([0.9, -0.4, 1.3], [0.2, 0.7, -1.1], [-0.6, 1.9, 0.5], [1.4, -0.8, -0.3])


def gradient(q: list[float]) -> list[float]:
    return [k * x + A * x**3 for k, x in zip(STIFFNESS, q, strict=True)]


def set_gradient(q: nn.Parameter) -> None:
    at = q.detach()
    q.grad = torch.tensor(STIFFNESS, dtype=q.dtype) * at + A * at**3


def parameters(num: int, dtype: torch.dtype = torch.float64) -> list[nn.Parameter]:
    return [nn.Parameter(torch.tensor(row, dtype=dtype)) for row in STARTS[:num]]


def run(qs: Sequence[nn.Parameter], opts: Sequence[Any], num: int) -> None:
    """Take steps of all replicas, one of each in turn."""
    for _ in range(num):
        for q, opt in zip(qs, opts, strict=True):
            set_gradient(q)
            opt.step()


def values(qs: Sequence[nn.Parameter]) -> list[list[float]]:
    return [q.tolist() for q in qs]


def close(ours: object, theirs: object) -> None:
    torch.testing.assert_close(
        torch.tensor(ours, dtype=torch.float64),
        torch.tensor(theirs, dtype=torch.float64),
        rtol=1e-12,
        atol=1e-12,
    )


Make = Callable[[nn.Parameter, Any, int], torch.optim.Optimizer]


def masters(opts: Sequence[Any], qs: Sequence[nn.Parameter]) -> list[Tensor]:
    """Return the master as each replica knows it."""
    found: list[Tensor] = []
    for q, opt in zip(qs, opts, strict=True):
        with opt.sync("master"):
            found.append(q.detach().clone())
    return found
