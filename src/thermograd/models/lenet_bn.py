"""LeNet of the Entropy-SGD and Parle papers: wider than LeNet-5, with batch normalisation."""

from collections.abc import Sequence

import torch
from torch import nn

from ._lenet import two_and_two


def lenet_bn(
    classes: int = 10,
    channels: int = 1,
    widths: Sequence[int] = (20, 50),
    pools: Sequence[int] = (3, 2),
    hidden: int = 500,
    dropout: float = 0.25,
    *,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return LeNet for 28×28 images, (B, channels, 28, 28) to (B, classes): 131,220 parameters.

    Twice a 5×5 convolution without padding, ReLU, batch normalisation, maximum pool, dropout; then
    linear, ReLU, dropout, linear. The widths are those of Caffe's LeNet. Widths (32, 64), pools
    (3, 3) and 512 hidden units make the one trained with trivialised SGD.

    Args:
        classes: number of outputs.
        channels: of the images.
        widths: filters of the two convolutions.
        pools: sides of the squares of which the maximum is kept.
        hidden: units of the hidden linear layer.
        dropout: after both convolutions and the hidden layer.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        Chaudhari (2018), thesis, University of California, Los Angeles, sections 2.4 and 4.6.
    """
    return two_and_two(
        "lenet_bn", classes, channels, widths, pools, hidden, dropout, True, False, generator
    )
