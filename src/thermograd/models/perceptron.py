"""Perceptron with one hidden layer."""

import torch
from torch import nn

from .._checks import positive_int
from .mlp import mlp


def perceptron(
    inputs: int = 2,
    hidden: int = 100,
    outputs: int = 1,
    activation: str = "relu",
    *,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return a perceptron with one hidden layer, (B, inputs) to (B, outputs).

    Args:
        inputs: number of inputs.
        hidden: number of hidden units.
        outputs: number of outputs; they are not activated.
        activation: of the hidden layer, by name.
        generator: source of the initial parameters, uniform on ±1/√(inputs of the layer).
    """
    for name, value in (("inputs", inputs), ("hidden", hidden), ("outputs", outputs)):
        positive_int(value, name, "perceptron")
    return mlp((inputs, hidden, outputs), activation, generator=generator)
