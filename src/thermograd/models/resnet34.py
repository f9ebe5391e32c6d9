"""ResNet-34: (3, 4, 6, 3) basic blocks with batch normalisation."""

import torch

from ._resnet import ResNet, Stem


def resnet34(
    classes: int = 10,
    channels: int = 3,
    width: int = 64,
    stem: Stem = "cifar",
    *,
    generator: torch.Generator,
) -> ResNet:
    """Return ResNet-34, (B, channels, H, W) to (B, classes): 21,282,122 parameters by default.

    Args:
        classes: number of outputs.
        channels: of the images.
        width: channels of the first layer, 64 in the source; 8 trains on two cores.
        stem: "cifar" begins with a 3×3 convolution at full size; "imagenet" with one of 7×7 and a
            maximum pool, each with stride 2 (21,289,802 parameters with 10 classes).
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        He, Zhang, Ren and Sun (2016), doi:10.1109/CVPR.2016.90.
    """
    return ResNet((3, 4, 6, 3), classes, channels, width, stem, generator)
