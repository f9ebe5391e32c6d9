"""Manifolds, one per file, all with the verbs of `thermograd.state.Geometry`."""

from ._base import (
    Chart,
    Example,
    Hidden,
    Manifold,
    Rowwise,
    begin,
    positions,
    settle_start,
)
from ._constrain import Constraints, Where, constrain
from ._restrict import Piece, own_coordinates, restrict, units
from .circle import Circle
from .flat import Flat
from .level_set import LevelSet
from .orthogonal import Orthogonal
from .product import Product
from .sphere import Sphere

__all__ = [
    "Chart",
    "Circle",
    "Constraints",
    "Example",
    "Flat",
    "Hidden",
    "LevelSet",
    "Manifold",
    "Orthogonal",
    "Piece",
    "Product",
    "Rowwise",
    "Sphere",
    "Where",
    "begin",
    "constrain",
    "own_coordinates",
    "positions",
    "restrict",
    "settle_start",
    "units",
]
