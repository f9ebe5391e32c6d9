"""Tools for tests of samplers: contracts, and assertions that say what they can see."""

from .contracts import Verdict, verify, verify_geometry
from .statistics import assert_mean

__all__ = ["Verdict", "assert_mean", "verify", "verify_geometry"]
