"""Partition into the last layer and the rest: the usual one for layer-wise methods."""

from .base import Named, Partition, from_labels, layer_of, layers_of, named_parameters

__all__ = ["last"]


def last(params: Named) -> Partition:
    """Label the parameters of the last layer "last" and all others "rest".

    Args:
        params: a model, or its named parameters; their order says what is last.

    Returns:
        the partition.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.partitions import last
        >>> with torch.random.fork_rng():
        ...     model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        >>> last(model).parts
        {'rest': ('0.weight', '0.bias'), 'last': ('2.weight', '2.bias')}
    """
    named = named_parameters(params)
    back = layers_of(named)[-1:]
    labels = {name: "last" if layer_of(name) in back else "rest" for name in named}
    return from_labels(labels, ("rest", "last"), "last")
