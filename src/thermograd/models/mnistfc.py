"""The fully connected network of the Entropy-SGD papers."""

import torch
from torch import nn

from .._checks import positive_int
from ._layers import dropout as dropout_of
from ._layers import linear


def mnistfc(
    classes: int = 10,
    inputs: int = 784,
    hidden: int = 1024,
    dropout: float = 0.2,
    batch_norm: bool = True,
    *,
    generator: torch.Generator,
) -> nn.Sequential:
    """Return two hidden layers, (B, ...) to (B, classes): 1,867,786 parameters by default.

    Dropout on the inputs, then twice: linear, ReLU, batch normalisation, dropout.

    Args:
        classes: number of outputs.
        inputs: numbers in an example, which is flattened.
        hidden: units of each hidden layer.
        dropout: of inputs and hidden units.
        batch_norm: whether hidden layers have it; 1,863,690 parameters without.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit).

    References:
        Chaudhari (2018), thesis, University of California, Los Angeles, section 4.6.
    """
    for name, value in (("classes", classes), ("inputs", inputs), ("hidden", hidden)):
        positive_int(value, name, "mnistfc")
    layers: list[nn.Module] = [nn.Flatten(), dropout_of(dropout, "mnistfc")]
    for width in (inputs, hidden):
        layers += [linear(width, hidden, generator), nn.ReLU()]
        if batch_norm:
            layers.append(nn.BatchNorm1d(hidden, device=generator.device))
        layers.append(dropout_of(dropout, "mnistfc"))
    return nn.Sequential(*layers, linear(hidden, classes, generator))
