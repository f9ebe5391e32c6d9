"""Arrangements: which parameters get which method, for the sampler and the optimizers.

`Arrangement` takes any partition and a `PartMethod` for each of its labels. The published ones have
a file each: `names()` lists them, and `get(name)` returns the class of their settings.
"""

from collections.abc import Callable
from typing import cast

from .._registry import ARRANGEMENTS
from ._arranged import Arranged, Share
from ._arrangement import Arrangement, LayerWise, check_labels
from ._part_method import PartMethod
from ._two_parts import in_two
from .adaptive_langevin_in_layers import AdaptiveLangevinInLayers
from .adlala import AdLaLa
from .dhsgd import DHSGD
from .langevin_in_layers import LangevinInLayers
from .lol import LOL

__all__ = [
    "DHSGD",
    "LOL",
    "AdLaLa",
    "AdaptiveLangevinInLayers",
    "Arranged",
    "Arrangement",
    "LangevinInLayers",
    "LayerWise",
    "PartMethod",
    "Share",
    "check_labels",
    "get",
    "in_two",
    "names",
]


def names() -> list[str]:
    """Return the names of all published arrangements."""
    return ARRANGEMENTS.names()


def get(name: str) -> Callable[..., LayerWise]:
    """Return what makes the arrangement of that name from its settings."""
    return cast(Callable[..., LayerWise], ARRANGEMENTS.get(name))
