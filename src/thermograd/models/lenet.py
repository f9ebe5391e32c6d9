"""LeNet-5 with rectified units and max pooling, as it is used today."""

import torch
from torch import nn

from .._checks import positive_int
from ._layers import conv, linear


def lenet(classes: int = 10, channels: int = 1, *, generator: torch.Generator) -> nn.Sequential:
    """Return LeNet-5 for 28×28 images, (B, channels, 28, 28) to (B, classes).

    The 1998 network has scaled hyperbolic tangents, trainable average pooling and a sparse second
    convolution; this one has ReLU, max pooling and a full one: 61,706 parameters by default.

    Args:
        classes: number of outputs.
        channels: of the images.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        LeCun, Bottou, Bengio and Haffner (1998), doi:10.1109/5.726791.
    """
    positive_int(classes, "classes", "lenet")
    positive_int(channels, "channels", "lenet")
    return nn.Sequential(
        conv(channels, 6, 5, generator, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        conv(6, 16, 5, generator),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        linear(16 * 5 * 5, 120, generator),
        nn.ReLU(),
        linear(120, 84, generator),
        nn.ReLU(),
        linear(84, classes, generator),
    )
