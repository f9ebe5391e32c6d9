"""Multilayer perceptron: affine layers with an activation in between."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import nn

from .._checks import is_int, require
from ._layers import activation as activation_named
from ._layers import linear


def mlp(
    sizes: Sequence[int], activation: str = "relu", *, generator: torch.Generator
) -> nn.Sequential:
    """Return affine layers, (B, sizes[0]) to (B, sizes[-1]); two sizes make a linear model.

    Args:
        sizes: number of inputs, of units of each hidden layer, of outputs.
        activation: between the layers, by name; the outputs are not activated.
        generator: source of the initial parameters, uniform on ±1/√(inputs of the layer).
    """
    widths = tuple(sizes)
    ok = len(widths) > 1 and all(is_int(width) and width > 0 for width in widths)
    require(ok, "sizes", "mlp", "at least two integers above 0", widths)
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        if layers:
            layers.append(activation_named(activation))
        layers.append(linear(inputs, outputs, generator))
    if len(widths) == 2:
        activation_named(activation)
    return nn.Sequential(*layers)
