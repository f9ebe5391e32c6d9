"""Partitions: which parameter belongs to which part, by labels on names.

Each function labels every parameter of a model once; `Partition.split` sorts them, and refuses
what is missing, unused or tied across parts.
"""

from .base import Partition
from .by_function import by_function
from .by_kind import by_kind
from .by_layer import by_layer
from .by_pattern import by_pattern
from .first import first
from .last import last
from .random_subset import random_subset

__all__ = [
    "Partition",
    "by_function",
    "by_kind",
    "by_layer",
    "by_pattern",
    "first",
    "last",
    "random_subset",
]
