"""Tools for tests of samplers: contracts, and assertions that say what they can see."""

from .contracts import Verdict, verify
from .statistics import assert_mean

__all__ = ["Verdict", "assert_mean", "verify"]
