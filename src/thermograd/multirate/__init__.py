"""Several time scales in one training loop: which part takes a gradient when, and what it saves."""

from .cycle import Cycle
from .time_ratio import time_ratio

__all__ = ["Cycle", "time_ratio"]
