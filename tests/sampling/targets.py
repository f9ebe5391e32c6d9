"""Targets for the sampler's tests, small enough to know everything about them."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from thermograd.potentials import Batch
from thermograd.state import Params


@dataclass(eq=False)
class Centres:
    """U = ½ k Σ_n |q − x_n|² over N data in ℝᵈ, or N times the mean over a batch of them."""

    data: Tensor  # (N, d)
    stiffness: float = 0.13
    size: int = 5
    names: tuple[str, ...] = ("centre",)
    is_confining: bool = True
    scale: str = "sum"

    @property
    def num_data(self) -> int:
        return len(self.data)

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        (x,) = q
        shown = self.data[batch] if isinstance(batch, Tensor) else self.data  # (W, B, d), (N, d)
        gap = shown - x[:, None]
        weight = self.stiffness * len(self.data) / gap.shape[1]
        out[0].copy_(weight * gap.sum(1))
        return 0.5 * weight * gap.square().sum((1, 2))

    def draw_batch(self, num_walkers: int, generator: torch.Generator) -> Tensor:
        shape = (num_walkers, self.size)
        return torch.randint(len(self.data), shape, generator=generator)

    def start(self, num_walkers: int) -> Params:
        return [self.data.mean(0).repeat(num_walkers, 1)]

    def predict(self, q: Params, inputs: Tensor) -> Tensor:
        return torch.einsum("wd,nd->wn", q[0], inputs)

    def accuracy(self, q: Params) -> Tensor:
        return (q[0] > 0).double().mean(1)


@dataclass(eq=False)
class TwoParts:
    """U = ½ (a |x|² + b |y|²) in two tensors; the second may be left out of U."""

    a: float = 1.7
    b: float = 0.4
    names: tuple[str, ...] = field(default=("layer.weight", "layer.bias"))

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        x, y = q
        out[0].copy_(-self.a * x)
        out[1].copy_(-self.b * y)
        return 0.5 * (self.a * x.square().flatten(1).sum(1) + self.b * y.square().sum(1))


def centres(seed: int = 3, num_data: int = 40, dim: int = 2) -> Centres:
    """Return a target over Gaussian data."""
    generator = torch.Generator().manual_seed(seed)
    data = torch.randn(num_data, dim, generator=generator, dtype=torch.float64)
    return Centres(data + 0.3)
