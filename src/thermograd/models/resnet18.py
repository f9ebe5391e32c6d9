"""ResNet-18: (2, 2, 2, 2) basic blocks with batch normalisation."""

import torch

from ._resnet import ResNet, Stem


def resnet18(
    classes: int = 10,
    channels: int = 3,
    width: int = 64,
    stem: Stem = "cifar",
    *,
    generator: torch.Generator,
) -> ResNet:
    """Return ResNet-18, (B, channels, H, W) to (B, classes): 11,173,962 parameters by default.

    Args:
        classes: number of outputs.
        channels: of the images.
        width: channels of the first layer, 64 in the source; 8 trains on two cores.
        stem: "cifar" begins with a 3×3 convolution at full size; "imagenet" with one of 7×7 and a
            maximum pool, each with stride 2 (11,181,642 parameters with 10 classes).
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        He, Zhang, Ren and Sun (2016), doi:10.1109/CVPR.2016.90.
    """
    return ResNet((2, 2, 2, 2), classes, channels, width, stem, generator)
