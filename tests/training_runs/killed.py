"""A small network for tests: replica 1 is killed at a gradient of its first life, if asked to."""

import os
import signal
from typing import Any

import torch
from torch import Tensor, nn

from thermograd.models import mlp


class Mortal(nn.Module):
    """A perceptron with dropout that counts its calls in train mode."""

    def __init__(self, generator: torch.Generator, dies_at: int) -> None:
        super().__init__()
        self.inner = mlp([2, 7, 2], activation="tanh", generator=generator)
        self.dropout = nn.Dropout(0.1)
        self.calls, self.dies_at = 0, dies_at

    def forward(self, x: Tensor) -> Tensor:
        self.calls += self.training
        is_first_life = os.environ.get("TORCHELASTIC_RESTART_COUNT") == "0"
        if is_first_life and os.environ["RANK"] == "1" and self.calls == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.inner(self.dropout(x))


def network(generator: torch.Generator, **options: Any) -> nn.Module:
    return Mortal(generator, **options)
