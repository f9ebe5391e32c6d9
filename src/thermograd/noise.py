"""Noise sources: the one door for randomness. Each owns the generator it draws from."""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor


class NoiseSource(Protocol):
    """A stream of standard variates: mean 0, variance 1, independent."""

    matched_moments: float

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        """Draw one variate for every element of `like`, in its shapes, dtype and device."""
        ...

    def uniform(self, like: Tensor) -> Tensor:
        """Draw U(0, 1) for every element of `like`."""
        ...

    def state_dict(self) -> dict[str, Tensor]:
        """Return the stream's position, as tensors."""
        ...

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Continue from a position that `state_dict` returned."""
        ...


def seeded(seed: int, device: torch.device | str = "cpu") -> torch.Generator:
    """Return a new generator on `device` that starts at `seed`."""
    return torch.Generator(device=device).manual_seed(seed)
