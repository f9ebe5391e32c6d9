"""VGG-11 for CIFAR: eight convolutions, three linear layers."""

import torch
from torch import nn

from .._checks import positive_int
from ._layers import conv, linear
from ._layers import dropout as dropout_of

_WIDTHS = (1, 0, 2, 0, 4, 4, 0, 8, 8, 0, 8, 8, 0)  # in units of the width; 0 halves the image


def vgg11(
    classes: int = 10,
    channels: int = 3,
    width: int = 64,
    dropout: float = 0.5,
    batch_norm: bool = True,
    *,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return VGG-11, (B, channels, 32, 32) to (B, classes): 9,756,426 parameters by default.

    The source's linear layers have 4096 units, for larger images; here they have 8·width.

    Args:
        classes: number of outputs.
        channels: of the images.
        width: filters of the first convolution, 64 in the source.
        dropout: before each hidden linear layer.
        batch_norm: whether each convolution is followed by batch normalisation.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        Simonyan and Zisserman (2015), arXiv:1409.1556, configuration A.
    """
    for name, value in (("classes", classes), ("channels", channels), ("width", width)):
        positive_int(value, name, "vgg11")
    layers: list[nn.Module] = []
    inputs = channels
    for factor in _WIDTHS:
        if factor == 0:
            layers.append(nn.MaxPool2d(2))
            continue
        outputs = factor * width
        layers.append(conv(inputs, outputs, 3, generator, 1))
        if batch_norm:
            layers.append(nn.BatchNorm2d(outputs, device=generator.device))
        layers.append(nn.ReLU())
        inputs = outputs
    layers.append(nn.Flatten())
    for _ in range(2):
        layers += [dropout_of(dropout, "vgg11"), linear(inputs, inputs, generator), nn.ReLU()]
    return nn.Sequential(*layers, linear(inputs, classes, generator))
