"""Arrangements of two parts: the hidden layers, and the last layer."""

from torch import nn

from .._errors import ParameterError
from ..partitions import Partition, last
from ..partitions.base import Named
from ._arrangement import Arrangement
from ._part_method import PartMethod

__all__ = ["in_two", "two_parts"]


def in_two(params: Named, partition: Partition | None, owner: str) -> Partition:
    """Return a partition into two: by the last layer, if none is given.

    Raises:
        ParameterError: if it has another number of parts.
    """
    found = partition if partition is not None else last(params)
    if len(found.parts) != 2:
        raise ParameterError(
            f"{owner} has two parts; the partition has {len(found.parts)}: "
            f"{', '.join(found.parts)}. Use Partitioned or Arrangement, with a word for each"
        )
    return found


def two_parts(
    params: Named, partition: Partition | None, hidden: PartMethod, output: PartMethod, owner: str
) -> Arrangement:
    """Return the arrangement of a method for the hidden part and one for the output part."""
    rows = params if isinstance(params, nn.Module) else list(params)
    found = in_two(rows, partition, owner)
    found.split(rows)
    return Arrangement(found, dict(zip(found.parts, (hidden, output), strict=True)))
