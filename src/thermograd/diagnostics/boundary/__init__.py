"""Classifiers of the plane: what they say on a grid, and how bent the boundary is."""

from .curvature import BoundaryCurvature, contour_curvature, level_set_curvature
from .regions import PredictionGrid, decision_regions
from .transition import Transition, transition_sharpness

__all__ = [
    "BoundaryCurvature",
    "PredictionGrid",
    "Transition",
    "contour_curvature",
    "decision_regions",
    "level_set_curvature",
    "transition_sharpness",
]
