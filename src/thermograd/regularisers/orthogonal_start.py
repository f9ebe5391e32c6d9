"""An orthogonal start: weights drawn from the uniform law on orthogonal matrices."""

import torch
from torch import nn

from .._checks import positive
from ..geometry import Where
from ._matrices import weights_of

__all__ = ["orthogonal_start_"]


def orthogonal_start_(
    model: nn.Module, *where: Where, generator: torch.Generator, gain: float = 1.0
) -> None:
    """Draw weights with orthogonal rows or columns, whichever are fewer, in place.

    A convolution is (filters) × (inputs · kernel). Nothing keeps them orthogonal afterwards:
    that takes `geometry.Orthogonal`, or, softly, `orthogonal_penalty`.

    Args:
        model: whose weights are meant.
        where: names or patterns of weights, or types of layers; all of them if none is given.
        generator: the stream of draws, on the weights' device.
        gain: all singular values, above 0.

    References:
        Saxe, McClelland and Ganguli (2014), arXiv:1312.6120.
    """
    positive(gain, "gain", "orthogonal_start_")
    for weight in weights_of(model, where, "orthogonal_start_"):
        nn.init.orthogonal_(weight, gain, generator=generator)
