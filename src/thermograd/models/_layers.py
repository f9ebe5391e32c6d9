"""Layers made without a draw from torch's global generator, and activations by name.

A weight or bias of a layer with n inputs to each unit is uniform on ±1/√n, which is how torch
initialises these layers. Dropout draws from torch's global generator, as ever.
"""

import math
from typing import TypeVar

import torch
from torch import nn

from .._checks import is_real, require, unknown_name

Layer = TypeVar("Layer", bound=nn.Module)


def linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    """Return an affine layer on the generator's device."""
    with torch.device("meta"):
        layer = nn.Linear(inputs, outputs)
    return _drawn(layer, inputs, generator)


def conv(
    inputs: int,
    outputs: int,
    kernel: int,
    generator: torch.Generator,
    padding: int = 0,
    stride: int = 1,
    bias: bool = True,
) -> nn.Conv2d:
    """Return a two-dimensional convolution on the generator's device."""
    with torch.device("meta"):
        layer = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=bias)
    return _drawn(layer, inputs * kernel * kernel, generator)


def dropout(probability: float, owner: str) -> nn.Module:
    """Return dropout, or nothing at all at probability 0."""
    ok = is_real(probability) and 0 <= probability < 1
    require(ok, "dropout", owner, "at least 0 and below 1", probability)
    return nn.Dropout(probability) if probability > 0 else nn.Identity()


def image_mean() -> tuple[nn.Module, nn.Module]:
    """Return what maps (B, C, H, W) to the means over the image, (B, C)."""
    return nn.AdaptiveAvgPool2d(1), nn.Flatten()


def activation(name: str) -> nn.Module:
    """Return an activation by name."""
    known = {
        "elu": nn.ELU,
        "gelu": nn.GELU,
        "identity": nn.Identity,
        "leaky_relu": nn.LeakyReLU,
        "relu": nn.ReLU,
        "sigmoid": nn.Sigmoid,
        "silu": nn.SiLU,
        "softplus": nn.Softplus,
        "tanh": nn.Tanh,
    }
    if name not in known:
        raise unknown_name("activation", name, known)
    return known[name]()


def _drawn(layer: Layer, inputs: int, generator: torch.Generator) -> Layer:
    layer.to_empty(device=generator.device)
    bound = 1.0 / math.sqrt(inputs)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.uniform_(-bound, bound, generator=generator)
    return layer
