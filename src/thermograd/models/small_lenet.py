"""A LeNet small enough for its whole Hessian."""

from collections.abc import Sequence

import torch
from torch import nn

from ._lenet import two_and_two


def small_lenet(
    classes: int = 10,
    channels: int = 1,
    widths: Sequence[int] = (10, 20),
    pools: Sequence[int] = (2, 2),
    hidden: int = 128,
    dropout: float = 0.0,
    batch_norm: bool = False,
    *,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return a small LeNet, (B, channels, 28, 28) to (B, classes): 47,658 parameters by default.

    Widths (8, 16), pools (3, 2), dropout 0.1 and batch normalisation make the smaller one, of
    13,338, whose gradient noise the source takes apart.

    Args:
        classes: number of outputs.
        channels: of the images.
        widths: filters of the two convolutions, 5×5 without padding.
        pools: sides of the squares of which the maximum is kept.
        hidden: units of the hidden linear layer.
        dropout: after both convolutions and the hidden layer.
        batch_norm: whether both convolutions and the hidden layer have it.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        Chaudhari (2018), thesis, University of California, Los Angeles, sections 3.1 and 6.3.
    """
    return two_and_two(
        "small_lenet",
        classes,
        channels,
        widths,
        pools,
        hidden,
        dropout,
        batch_norm,
        batch_norm,
        generator,
    )
