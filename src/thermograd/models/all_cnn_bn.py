"""All-CNN-BN of the Entropy-SGD and Parle papers: All-CNN with batch normalisation."""

import torch
from torch import nn

from .._checks import positive_int
from ._layers import conv, image_mean
from ._layers import dropout as dropout_of


def all_cnn_bn(
    classes: int = 10,
    channels: int = 3,
    width: int = 96,
    dropout: float = 0.5,
    input_dropout: float = 0.2,
    output_norm: bool = False,
    *,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return All-CNN-BN, (B, channels, H, W) to (B, classes): 1,667,146 parameters by default.

    Eight padded 3×3 convolutions with batch normalisation and ReLU, the third and the sixth of
    stride 2, one of 1×1 to the classes, and the mean over the image. All-CNN-C has a 1×1
    convolution where the eighth is.

    Args:
        classes: number of outputs.
        channels: of the images.
        width: filters of the first three convolutions; the next five have twice as many. Width 12
            with output_norm makes small-allcnn, of 26,982 parameters.
        dropout: after each convolution of stride 2.
        input_dropout: of the images.
        output_norm: whether the last convolution is normalised too (1,667,166 parameters).
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        Chaudhari (2018), thesis, University of California, Los Angeles, sections 4.6 and 6.3.
    """
    for name, value in (("classes", classes), ("channels", channels), ("width", width)):
        positive_int(value, name, "all_cnn_bn")
    device, double = generator.device, 2 * width
    widths = [channels, width, width, width, *[double] * 5]
    layers: list[nn.Module] = [dropout_of(input_dropout, "all_cnn_bn")]
    for number in range(1, 9):
        inputs, outputs = widths[number - 1 : number + 1]
        halves = number in (3, 6)
        layers.append(conv(inputs, outputs, 3, generator, 1, 2 if halves else 1))
        layers += [nn.BatchNorm2d(outputs, device=device), nn.ReLU()]
        if halves:
            layers.append(dropout_of(dropout, "all_cnn_bn"))
    layers.append(conv(double, classes, 1, generator))
    if output_norm:
        layers.append(nn.BatchNorm2d(classes, device=device))
    return nn.Sequential(*layers, *image_mean())
