"""Residual networks of basic blocks, under the names torchvision gives to their layers."""

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from .._checks import one_of, positive_int
from ._layers import conv, linear

Stem = Literal["cifar", "imagenet"]


class Block(nn.Module):
    """Two 3×3 convolutions and a way around them: relu(norm(conv(relu(norm(conv x)))) + x)."""

    def __init__(self, inputs: int, outputs: int, stride: int, generator: torch.Generator) -> None:
        super().__init__()
        device = generator.device
        self.conv1 = conv(inputs, outputs, 3, generator, 1, stride, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs, device=device)
        self.conv2 = conv(outputs, outputs, 3, generator, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs, device=device)
        self.downsample: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                conv(inputs, outputs, 1, generator, 0, stride, bias=False),
                nn.BatchNorm2d(outputs, device=device),
            )

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, inputs, H, W) to (B, outputs, H/stride, W/stride)."""
        inner = self.bn1(self.conv1(x)).relu()
        return (self.bn2(self.conv2(inner)) + self.downsample(x)).relu()


class ResNet(nn.Module):
    """A stem, four layers of basic blocks, the mean over the image, and a linear layer.

    Args:
        blocks: in each of the four layers.
        classes: number of outputs.
        channels: of the images.
        width: channels of the first layer; each further one has twice as many on half the size.
        stem: "cifar" or "imagenet".
        generator: source of the initial parameters.
    """

    def __init__(
        self,
        blocks: Sequence[int],
        classes: int,
        channels: int,
        width: int,
        stem: Stem,
        generator: torch.Generator,
    ) -> None:
        for name, value in (("classes", classes), ("channels", channels), ("width", width)):
            positive_int(value, name, "ResNet")
        one_of(stem, ("cifar", "imagenet"), "stem", "ResNet")
        super().__init__()
        is_small = stem == "cifar"
        kernel, stride, padding = (3, 1, 1) if is_small else (7, 2, 3)
        self.conv1 = conv(channels, width, kernel, generator, padding, stride, bias=False)
        self.bn1 = nn.BatchNorm2d(width, device=generator.device)
        self.pool = nn.Identity() if is_small else nn.MaxPool2d(3, 2, 1)
        widths = [width * 2**i for i in range(4)]
        self.layer1 = _layer(width, widths[0], blocks[0], 1, generator)
        self.layer2 = _layer(widths[0], widths[1], blocks[1], 2, generator)
        self.layer3 = _layer(widths[1], widths[2], blocks[2], 2, generator)
        self.layer4 = _layer(widths[2], widths[3], blocks[3], 2, generator)
        self.fc = linear(widths[3], classes, generator)

    def forward(self, x: Tensor) -> Tensor:
        """Map images (B, channels, H, W) to outputs (B, classes)."""
        x = self.pool(self.bn1(self.conv1(x)).relu())
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


def _layer(
    inputs: int, outputs: int, blocks: int, stride: int, generator: torch.Generator
) -> nn.Sequential:
    first = Block(inputs, outputs, stride, generator)
    return nn.Sequential(first, *(Block(outputs, outputs, 1, generator) for _ in range(blocks - 1)))
