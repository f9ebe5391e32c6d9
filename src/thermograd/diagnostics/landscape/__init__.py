"""The loss between and around points: lines, planes, paths in them, and networks renumbered."""

from .alignment import Alignment, align, overlap
from .connectivity import linear_barrier
from .directions import difference_directions, path_directions, random_directions
from .interpolation import Interpolation, interpolate, interpolate_parts, shape_of
from .points import by_kind, by_layer
from .projection import Projection, project_path
from .surface import Surface, loss_surface, two_minima_surface

__all__ = [
    "Alignment",
    "Interpolation",
    "Projection",
    "Surface",
    "align",
    "by_kind",
    "by_layer",
    "difference_directions",
    "interpolate",
    "interpolate_parts",
    "linear_barrier",
    "loss_surface",
    "overlap",
    "path_directions",
    "project_path",
    "random_directions",
    "shape_of",
    "two_minima_surface",
]
