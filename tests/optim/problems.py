"""Small problems the optimizer tests share."""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from thermograd.noise import seeded
from thermograd.optim import Langevin
from thermograd.state import Params

Built = TypeVar("Built", bound=nn.Module)

STIFFNESS = (1.69, 0.8, 2.3)
SETTINGS: dict[str, Any] = {"lr": 0.13, "friction": 0.7, "temperature": 0.9, "mass": 1.7}


class Quartic:
    """U = ½ Σ kᵢ qᵢ² + ¼ Σ a qᵢ⁴ on one tensor, as a potential and as a loss."""

    def __init__(self, a: float = 0.3) -> None:
        self.a = a

    def energy(self, q: Tensor) -> Tensor:
        k = torch.tensor(STIFFNESS, dtype=q.dtype)
        return (k * q**2 / 2 + self.a * q**4 / 4).sum(-1)

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        k = torch.tensor(STIFFNESS, dtype=q[0].dtype)
        out[0].copy_(-(k * q[0] + self.a * q[0] ** 3))
        return self.energy(q[0])


def start(seed: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(len(STIFFNESS), generator=seeded(seed + 100), dtype=dtype)


def steps(opt: torch.optim.Optimizer, loss: Callable[[], Tensor], num: int) -> None:
    for _ in range(num):
        opt.zero_grad()
        loss().backward()
        opt.step()


def built(make: Callable[[], Built]) -> Built:
    """Make a module without moving the global generator that torch initialises it from."""
    with torch.random.fork_rng():
        return make()


def network(seed: int) -> tuple[nn.Module, Tensor, Tensor]:
    """Return a small perceptron with weights of our own drawing, and data for it."""
    generator = seeded(seed)
    model = built(lambda: nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Linear(7, 2)))
    with torch.no_grad():
        for param in model.parameters():
            param.copy_(0.3 * torch.randn(param.shape, generator=generator))
    x = torch.randn(32, 4, generator=generator)
    return model, x, x[:, :2] * x[:, 2:]


def langevin(model: nn.Module, seed: int = 3, **changes: Any) -> Langevin:
    settings: dict[str, Any] = {"lr": 0.05, "friction": 0.7, "temperature": 1e-3}
    return Langevin(model.parameters(), generator=seeded(seed), **{**settings, **changes})
