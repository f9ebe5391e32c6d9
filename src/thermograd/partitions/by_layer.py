"""Partition by layer: the module that owns a parameter is its label."""

from .base import Named, Partition, from_labels, layer_of, named_parameters

__all__ = ["by_layer"]


def by_layer(params: Named) -> Partition:
    """Label each parameter with the dotted name of the module that owns it.

    Args:
        params: a model, or its named parameters.

    Returns:
        the partition; parameters of the model itself are labelled "self".

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.partitions import by_layer
        >>> with torch.random.fork_rng():
        ...     model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        >>> by_layer(model).parts
        {'0': ('0.weight', '0.bias'), '2': ('2.weight', '2.bias')}
    """
    named = named_parameters(params)
    return from_labels({name: layer_of(name) or "self" for name in named}, (), "by_layer")
