"""Tools for tests of samplers: assertions that say what they can see."""

from .statistics import assert_mean

__all__ = ["assert_mean"]
