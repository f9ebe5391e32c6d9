"""Partition by kind: weights, biases and the parameters of normalisations."""

from torch import nn
from torch.nn.modules.batchnorm import _NormBase  # pyright: ignore[reportPrivateUsage]

from .base import Partition, from_labels, layer_of, named_parameters

__all__ = ["by_kind"]

_NORMS = (_NormBase, nn.LayerNorm, nn.GroupNorm, nn.RMSNorm)


def by_kind(model: nn.Module) -> Partition:
    """Label each parameter "weights", "biases" or "norms".

    Args:
        model: the model; the class of a module tells whether it normalises.

    Returns:
        the partition: "norms" holds all of a normalising module, "biases" what has "bias" in its
        own name, "weights" the rest. A kind that the model does not have is no part.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.partitions import by_kind
        >>> with torch.random.fork_rng():
        ...     model = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3), nn.Linear(3, 1))
        >>> sorted(by_kind(model).parts.items())[0]
        ('biases', ('0.bias', '2.bias'))
    """
    modules = dict(model.named_modules(remove_duplicate=False))

    def kind(name: str) -> str:
        if isinstance(modules[layer_of(name)], _NORMS):
            return "norms"
        return "biases" if "bias" in name.rpartition(".")[2] else "weights"

    return from_labels({name: kind(name) for name in named_parameters(model)}, (), "by_kind")
