"""A perceptron of three layers and what the tests of layer-wise optimizers do with it."""

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from thermograd.noise import seeded

from .problems import built, steps

H, STEPS = 0.13, 25
ADAPTIVE: dict[str, Any] = {"temperature": 2e-3, "feedback": 0.3, "driving_noise": 0.05}
Named: TypeAlias = list[tuple[str, nn.Parameter]]
Build: TypeAlias = Callable[[nn.Sequential], torch.optim.Optimizer]


class Problem:
    """A small perceptron in float64 and its loss on data of its own."""

    def __init__(self, seed: int = 5) -> None:
        generator = seeded(seed)
        self.model = built(
            lambda: nn.Sequential(
                nn.Linear(4, 7), nn.Tanh(), nn.Linear(7, 5), nn.Tanh(), nn.Linear(5, 2)
            )
        ).double()
        with torch.no_grad():
            for q in self.model.parameters():
                q.copy_(0.4 * torch.randn(q.shape, generator=generator))
        self.x = torch.randn(32, 4, generator=generator, dtype=torch.float64)
        self.y = self.x[:, :2] * self.x[:, 2:]

    def loss(self) -> Tensor:
        return (self.model(self.x) - self.y).square().mean()

    def end(self, make: Build, num: int = STEPS) -> Tensor:
        """Return all parameters after some steps."""
        steps(make(self.model), self.loss, num)
        return torch.cat([q.detach().flatten() for q in self.model.parameters()])


def parts_of(model: nn.Module) -> tuple[Named, Named]:
    named = list(model.named_parameters())
    return named[:-2], named[-2:]


def end(make: Build, num: int = STEPS) -> Tensor:
    return Problem().end(make, num)
