"""Partition by function: any rule from a name and a tensor to a label."""

from collections.abc import Callable

from torch import Tensor

from .base import Named, Partition, from_labels, named_parameters

__all__ = ["by_function"]


def by_function(params: Named, label: Callable[[str, Tensor], str]) -> Partition:
    """Label each parameter with what a function says.

    Args:
        params: a model, or its named parameters.
        label: returns the label from a parameter's name and tensor.

    Returns:
        the partition.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.partitions import by_function
        >>> with torch.random.fork_rng():
        ...     model = nn.Linear(2, 3)
        >>> by_function(model, lambda name, q: "matrix" if q.dim() > 1 else "vector").parts
        {'matrix': ('weight',), 'vector': ('bias',)}
    """
    named = named_parameters(params)
    labels = {name: label(name, tensor) for name, tensor in named.items()}
    return from_labels(labels, (), "by_function")
