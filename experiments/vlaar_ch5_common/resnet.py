"""ResNet-18 for images of 32 × 32 pixels, in plain torch."""

import torch
from torch import Tensor, nn


class Block(nn.Module):
    """Two 3×3 convolutions and a way around them."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            way = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.downsample = nn.Sequential(way, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output."""
        inner = self.bn1(self.conv1(x)).relu()
        return (self.bn2(self.conv2(inner)) + self.downsample(x)).relu()


class ResNet18(nn.Module):
    """A stem, (2, 2, 2, 2) blocks, the mean over the image and a linear layer."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        inputs = width
        for number, blocks in enumerate((2, 2, 2, 2), start=1):
            outputs, stride = width * 2 ** (number - 1), 1 if number == 1 else 2
            first = Block(inputs, outputs, stride)
            layer = nn.Sequential(first, *(Block(outputs, outputs, 1) for _ in range(blocks - 1)))
            self.add_module(f"layer{number}", layer)
            inputs = outputs
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Map images (B, 3, 32, 32) to outputs (B, classes)."""
        x = self.bn1(self.conv1(x)).relu()
        for number in range(1, 5):
            x = self.get_submodule(f"layer{number}")(x)
        return self.fc(x.mean((2, 3)))


def resnet18(classes: int, width: int, seed: int) -> ResNet18:
    """Return the network; the global generator stays where it is."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return ResNet18(width, classes)
