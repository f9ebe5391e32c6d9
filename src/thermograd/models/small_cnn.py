"""A small convolutional network for images of any size divisible by four."""

import torch
from torch import nn

from .._checks import is_int, positive_int, require
from ._layers import activation as activation_named
from ._layers import conv, linear


def small_cnn(
    classes: int = 10,
    channels: int = 3,
    size: int = 32,
    width: int = 16,
    activation: str = "relu",
    *,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return two convolutions and a linear layer, (B, channels, size, size) to (B, classes).

    Args:
        classes: number of outputs.
        channels: of the images.
        size: of the images, a multiple of 4.
        width: filters of the first convolution; the second has twice as many.
        activation: after each convolution, by name.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).
    """
    for name, value in (("classes", classes), ("channels", channels), ("width", width)):
        positive_int(value, name, "small_cnn")
    ok = is_int(size) and size > 0 and size % 4 == 0
    require(ok, "size", "small_cnn", "a multiple of 4, above 0", size)
    return nn.Sequential(
        conv(channels, width, 3, generator, padding=1),
        activation_named(activation),
        nn.MaxPool2d(2),
        conv(width, 2 * width, 3, generator, padding=1),
        activation_named(activation),
        nn.MaxPool2d(2),
        nn.Flatten(),
        linear(2 * width * (size // 4) ** 2, classes, generator),
    )
