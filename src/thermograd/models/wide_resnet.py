"""Wide residual networks: few layers of many channels, normalised before each convolution."""

import torch
from torch import Tensor, nn

from .._checks import is_int, positive_int, require
from ._layers import conv, linear
from ._layers import dropout as dropout_of


class WideBlock(nn.Module):
    """Normalise, rectify, convolve, twice, with dropout between, and a way around."""

    def __init__(
        self, inputs: int, outputs: int, stride: int, dropout: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inputs, device=generator.device)
        self.conv1 = conv(inputs, outputs, 3, generator, 1, stride, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs, device=generator.device)
        self.dropout = dropout_of(dropout, "wide_resnet")
        self.conv2 = conv(outputs, outputs, 3, generator, 1, bias=False)
        self.shortcut = None
        if inputs != outputs:
            self.shortcut = conv(inputs, outputs, 1, generator, 0, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, inputs, H, W) to (B, outputs, H/stride, W/stride)."""
        active = self.bn1(x).relu()
        inner = self.conv2(self.dropout(self.bn2(self.conv1(active)).relu()))
        return inner + (x if self.shortcut is None else self.shortcut(active))


class WideResNet(nn.Module):
    """A convolution, three groups of wide blocks, the mean over the image, a linear layer.

    Args:
        depth: 6n + 4, for n blocks in each group.
        widen: factor of the groups' 16, 32 and 64 channels.
        classes: number of outputs.
        channels: of the images.
        dropout: between the two convolutions of a block.
        generator: source of the initial parameters.
    """

    def __init__(
        self,
        depth: int,
        widen: int,
        classes: int,
        channels: int,
        dropout: float,
        generator: torch.Generator,
    ) -> None:
        ok = is_int(depth) and depth >= 10 and depth % 6 == 4
        require(ok, "depth", "wide_resnet", "6n + 4 for an integer n above 0", depth)
        for name, value in (("widen", widen), ("classes", classes), ("channels", channels)):
            positive_int(value, name, "wide_resnet")
        super().__init__()
        self.conv1 = conv(channels, 16, 3, generator, 1, bias=False)
        inputs, groups = 16, list[nn.Module]()
        for outputs, stride in ((16 * widen, 1), (32 * widen, 2), (64 * widen, 2)):
            blocks = [WideBlock(inputs, outputs, stride, dropout, generator)]
            more = range(1, (depth - 4) // 6)
            blocks += [WideBlock(outputs, outputs, 1, dropout, generator) for _ in more]
            groups.append(nn.Sequential(*blocks))
            inputs = outputs
        self.groups = nn.Sequential(*groups)
        self.bn = nn.BatchNorm2d(inputs, device=generator.device)
        self.fc = linear(inputs, classes, generator)

    def forward(self, x: Tensor) -> Tensor:
        """Map images (B, channels, H, W) to outputs (B, classes)."""
        return self.fc(self.bn(self.groups(self.conv1(x))).relu().mean((2, 3)))


def wide_resnet(
    depth: int = 28,
    widen: int = 10,
    classes: int = 10,
    channels: int = 3,
    dropout: float = 0.3,
    *,
    generator: torch.Generator,
) -> WideResNet:
    """Return WRN-depth-widen, (B, channels, H, W) to (B, classes): WRN-28-10 by default.

    WRN-28-10 has 36,479,194 parameters, WRN-16-4 has 2,748,890.

    Args:
        depth: 6n + 4, for n blocks in each of three groups.
        widen: factor of the groups' 16, 32 and 64 channels.
        classes: number of outputs.
        channels: of the images.
        dropout: between the two convolutions of a block: 0.3 on CIFAR, 0.4 on SVHN.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        Zagoruyko and Komodakis (2016), arXiv:1605.07146.
    """
    return WideResNet(depth, widen, classes, channels, dropout, generator)
