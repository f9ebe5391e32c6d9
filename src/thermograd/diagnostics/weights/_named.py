"""Tensors by name, from a module or a mapping."""

from collections.abc import Mapping
from typing import TypeAlias

import torch
from torch import Tensor, nn

from ..._checks import require
from ..._errors import NonFiniteError

Weights: TypeAlias = nn.Module | Mapping[str, Tensor]


def named(weights: Weights, owner: str) -> dict[str, Tensor]:
    """Return the parameters by name, in float64, after checking that they are finite."""
    pairs = weights.named_parameters() if isinstance(weights, nn.Module) else weights.items()
    found = {name: tensor.detach().double() for name, tensor in pairs if tensor.numel()}
    require(bool(found), "weights", owner, "a model or tensors by name, one at least", weights)
    for name, tensor in found.items():
        if not bool(torch.isfinite(tensor).all()):
            raise NonFiniteError(f"the weights {name!r} hold NaN or infinity")
    return found
