"""Partition at random: some of the tensors against the others."""

import torch

from .._checks import is_real, require
from .._errors import ParameterError
from .base import Named, Partition, from_labels, named_parameters

__all__ = ["random_subset"]


def random_subset(params: Named, fraction: float, generator: torch.Generator) -> Partition:
    """Label a random subset of the tensors "chosen" and the others "rest".

    Args:
        params: a model, or its named parameters.
        fraction: share of the tensors to choose, in (0, 1); rounded so that neither part is empty.
        generator: where the choice comes from.

    Returns:
        the partition; names of one tied tensor get the same label.

    Raises:
        ParameterError: if there are fewer than two tensors.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.noise import seeded
        >>> from thermograd.partitions import random_subset
        >>> with torch.random.fork_rng():
        ...     model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        >>> len(random_subset(model, 0.25, seeded(0)).parts["chosen"])
        1
    """
    ok = is_real(fraction) and 0 < fraction < 1
    require(ok, "fraction", "random_subset", "in (0, 1)", fraction)
    named = named_parameters(params)
    tensors = list({id(tensor): tensor for tensor in named.values()})
    if len(tensors) < 2:
        raise ParameterError(f"{len(tensors)} tensors cannot be split into two parts")
    num = min(max(round(fraction * len(tensors)), 1), len(tensors) - 1)
    order = torch.randperm(len(tensors), generator=generator, device=generator.device)
    chosen = {tensors[k] for k in order[:num].tolist()}
    labels = {name: "chosen" if id(q) in chosen else "rest" for name, q in named.items()}
    return from_labels(labels, ("chosen", "rest"), "random_subset")
