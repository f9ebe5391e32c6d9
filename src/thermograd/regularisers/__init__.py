"""Soft ways to keep weights small or orthogonal: what constraints are compared with."""

from .decay_penalty import decay_penalty
from .max_norm import max_norm_
from .orthogonal_penalty import orthogonal_penalty
from .orthogonal_start import orthogonal_start_

__all__ = ["decay_penalty", "max_norm_", "orthogonal_penalty", "orthogonal_start_"]
