"""Networks of LeNet's layout for 28×28 images: two 5×5 convolutions, two linear layers."""

from collections.abc import Sequence

import torch
from torch import nn

from .._checks import is_int, positive_int, require
from ._layers import conv, linear
from ._layers import dropout as dropout_of

_SIZE, _KERNEL = 28, 5


def two_and_two(
    owner: str,
    classes: int,
    channels: int,
    widths: Sequence[int],
    pools: Sequence[int],
    hidden: int,
    dropout: float,
    norm_convolutions: bool,
    norm_hidden: bool,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return twice conv, ReLU, norm, pool, dropout; then linear, ReLU, norm, dropout; linear."""
    for name, value in (("classes", classes), ("channels", channels), ("hidden", hidden)):
        positive_int(value, name, owner)
    for name, pair in (("widths", widths), ("pools", pools)):
        ok = len(pair) == 2 and all(is_int(value) and value > 0 for value in pair)
        require(ok, name, owner, "two integers above 0", tuple(pair))
    layers: list[nn.Module] = []
    inputs, size = channels, _SIZE
    for width, pool in zip(widths, pools, strict=True):
        layers += [conv(inputs, width, _KERNEL, generator), nn.ReLU()]
        if norm_convolutions:
            layers.append(nn.BatchNorm2d(width, device=generator.device))
        layers += [nn.MaxPool2d(pool), dropout_of(dropout, owner)]
        inputs, size = width, (size - _KERNEL + 1) // pool
        require(size > 0, "pools", owner, "small enough to leave something", tuple(pools))
    layers += [nn.Flatten(), linear(inputs * size**2, hidden, generator), nn.ReLU()]
    if norm_hidden:
        layers.append(nn.BatchNorm1d(hidden, device=generator.device))
    layers += [dropout_of(dropout, owner), linear(hidden, classes, generator)]
    return nn.Sequential(*layers)
