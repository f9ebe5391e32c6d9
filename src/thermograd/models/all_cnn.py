"""All-CNN-C: convolutions only; those of stride 2 take the place of pooling."""

import torch
from torch import nn

from .._checks import positive_int
from ._layers import conv, image_mean
from ._layers import dropout as dropout_of


def all_cnn(
    classes: int = 10,
    channels: int = 3,
    width: int = 96,
    dropout: float = 0.5,
    input_dropout: float = 0.2,
    *,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return All-CNN-C, (B, channels, H, W) to (B, classes): 1,369,738 parameters by default.

    All 3×3 convolutions are padded, and the outputs, the mean over the image, are not rectified.

    Args:
        classes: number of outputs.
        channels: of the images.
        width: filters of the first three convolutions; the next five have twice as many.
        dropout: after each convolution of stride 2.
        input_dropout: of the images.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        Springenberg, Dosovitskiy, Brox and Riedmiller (2015), arXiv:1412.6806.
    """
    for name, value in (("classes", classes), ("channels", channels), ("width", width)):
        positive_int(value, name, "all_cnn")
    double = 2 * width
    return nn.Sequential(
        dropout_of(input_dropout, "all_cnn"),
        *_rectified(channels, width, 3, 1, generator),
        *_rectified(width, width, 3, 1, generator),
        *_rectified(width, width, 3, 2, generator),
        dropout_of(dropout, "all_cnn"),
        *_rectified(width, double, 3, 1, generator),
        *_rectified(double, double, 3, 1, generator),
        *_rectified(double, double, 3, 2, generator),
        dropout_of(dropout, "all_cnn"),
        *_rectified(double, double, 3, 1, generator),
        *_rectified(double, double, 1, 1, generator),
        conv(double, classes, 1, generator),
        *image_mean(),
    )


def _rectified(
    inputs: int, outputs: int, kernel: int, stride: int, generator: torch.Generator
) -> tuple[nn.Module, nn.Module]:
    return conv(inputs, outputs, kernel, generator, kernel // 2, stride), nn.ReLU()
