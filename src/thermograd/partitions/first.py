"""Partition into the first layer and the rest."""

from .base import Named, Partition, from_labels, layer_of, layers_of, named_parameters

__all__ = ["first"]


def first(params: Named) -> Partition:
    """Label the parameters of the first layer "first" and all others "rest".

    Args:
        params: a model, or its named parameters; their order says what is first.

    Returns:
        the partition.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.partitions import first
        >>> with torch.random.fork_rng():
        ...     model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        >>> first(model).parts
        {'first': ('0.weight', '0.bias'), 'rest': ('2.weight', '2.bias')}
    """
    named = named_parameters(params)
    front = layers_of(named)[:1]
    labels = {name: "first" if layer_of(name) in front else "rest" for name in named}
    return from_labels(labels, ("first", "rest"), "first")
