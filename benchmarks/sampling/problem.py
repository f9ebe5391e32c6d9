"""What is sampled: a perceptron 2-100-1 on 1,000 points, batches of 20, squared error.

Every library steps all walkers at once and draws a batch for each walker and step; float32.
"""

import numpy as np
import torch
from torch import Tensor, nn

from thermograd.noise import seeded

NUM_DATA, BATCH, HIDDEN = 1000, 20, 100
NUM_PARAMS = 4 * HIDDEN + 1
TEMPERATURE, FRICTION = 0.7, 1.3
STEP_SIZE = 1e-5  # so small that no walker of any library runs away in the length of a run
WIDTHS = (1, 8, 32, 128)


def data() -> tuple[Tensor, Tensor]:
    """Return the inputs (N, 2) and the targets (N, 1)."""
    x = torch.randn(NUM_DATA, 2, generator=seeded(3))
    return x, torch.sin(2.0 * x.sum(1, keepdim=True))


def model() -> nn.Module:
    """Return the perceptron."""
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return nn.Sequential(nn.Linear(2, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1))


def start(walkers: int) -> dict[str, np.ndarray]:
    """Return the parameters of all walkers as plain arrays, each (W, ...)."""
    first, _, last = model().children()
    named = {"w1": first.weight, "b1": first.bias, "w2": last.weight, "b2": last.bias}
    return {
        name: np.repeat(value.detach().numpy()[None], walkers, 0)
        for name, value in named.items()
        if isinstance(value, Tensor)
    }
