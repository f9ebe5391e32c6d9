"""Permute the hidden units of a network so that they match those of another.

Layer by layer from the input, the units of a linear or convolutional layer are assigned to those of
the reference with the largest total inner product of their incoming weights and bias (an exact
assignment); the next layer's inputs are permuted along. The network computes what it did before.

References:
    Chaudhari (2018), thesis, section 5.0, with an assignment in place of greedy matching.
    Kuhn (1955), doi:10.1002/nav.3800020109.
"""

import copy
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import (
    _BatchNorm,  # pyright: ignore[reportPrivateUsage]  the common base of BatchNorm1d, 2d, 3d
)

from .._errors import MissingExtraError, ParameterError

__all__ = ["align", "overlap"]

Weighted = nn.Linear | nn.Conv1d | nn.Conv2d
_UNIT_WISE = (
    *(nn.ReLU, nn.Tanh, nn.Sigmoid, nn.GELU, nn.ELU, nn.SiLU, nn.LeakyReLU, nn.Softplus),
    *(nn.Identity, nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Flatten),
    *(nn.MaxPool1d, nn.MaxPool2d, nn.AvgPool1d, nn.AvgPool2d),
    *(nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d),
)


def overlap(first: nn.Module, second: nn.Module) -> float:
    """Return the cosine of the angle between the parameters of two networks."""
    a = torch.cat([q.detach().flatten() for q in first.parameters()])
    b = torch.cat([q.detach().flatten() for q in second.parameters()])
    return float(a @ b / (a.norm() * b.norm()))


def align(network: nn.Sequential, reference: nn.Sequential) -> nn.Sequential:
    """Return a copy of a network with its hidden units in the order of a reference.

    Args:
        network: a chain of linear and convolutional layers, BatchNorm, and layers that act on each
            unit alone; nested chains are looked into.
        reference: of the same architecture.

    Raises:
        ParameterError: for a layer whose units cannot be told apart, or another architecture.
    """
    aligned = copy.deepcopy(network)
    ours, theirs = _chain(aligned), _chain(reference)
    if [type(layer) for layer in ours] != [type(layer) for layer in theirs]:
        raise ParameterError("the network and its reference are not of one architecture")
    weighted = [k for k, layer in enumerate(ours) if isinstance(layer, Weighted)]
    with torch.no_grad():
        for k, following in pairwise(weighted):
            order = _assignment(_rows(theirs[k]), _rows(ours[k]))
            for layer in ours[k:following]:
                _permute_units(layer, order)
            _permute_inputs(ours[following], order)
    return aligned


def _chain(model: nn.Module) -> list[Any]:
    """Return the layers of a chain in order."""
    if isinstance(model, nn.Sequential):
        return [layer for child in model for layer in _chain(child)]
    grouped = isinstance(model, nn.Conv1d | nn.Conv2d) and model.groups != 1
    if grouped or not isinstance(model, (Weighted, _BatchNorm, *_UNIT_WISE)):
        raise ParameterError(f"cannot align through {model}: how it mixes units is not known")
    return [model]


def _rows(layer: Any) -> Tensor:
    """Return the incoming weights of each unit, with its bias, (units, inputs)."""
    rows = layer.weight.detach().flatten(1).double()
    if layer.bias is None:
        return rows
    return torch.cat([rows, layer.bias.detach().double().unsqueeze(1)], 1)


def _assignment(reference: Tensor, rows: Tensor) -> Tensor:
    """Return which row goes where so that the inner products add up to the most."""
    if reference.shape != rows.shape:
        raise ParameterError("the network and its reference have layers of different shapes")
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise MissingExtraError("align needs scipy: pip install thermograd[analysis]") from None
    gain = (reference @ rows.T).cpu().numpy()
    return torch.as_tensor(linear_sum_assignment(gain, maximize=True)[1], device=rows.device)


def _permute_units(layer: Any, order: Tensor) -> None:
    for name in ("weight", "bias", "running_mean", "running_var"):
        if isinstance(tensor := getattr(layer, name, None), Tensor):
            tensor.copy_(tensor[order].clone())


def _permute_inputs(layer: Any, order: Tensor) -> None:
    """Permute the inputs of a layer; a flattened map has several for each unit."""
    weight = layer.weight
    units = len(order)
    if weight.shape[1] % units:
        raise ParameterError(f"{layer} does not take the {units} units of the layer before it")
    blocks = weight.view(weight.shape[0], units, -1)
    weight.copy_(blocks[:, order].reshape(weight.shape))
