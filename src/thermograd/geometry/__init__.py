"""Manifolds, one per file, all with the verbs of `thermograd.state.Geometry`."""

from .flat import Flat

__all__ = ["Flat"]
