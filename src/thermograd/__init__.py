"""thermograd: train and sample neural networks with discretised stochastic dynamics."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .geometry import constrain
    from .sampling import sample

__version__ = "0.1.0"
__all__ = ["__version__", "constrain", "sample"]


def __getattr__(name: str) -> object:
    if name == "sample":
        from .sampling import sample  # late: the command line starts without torch

        return sample
    if name == "constrain":
        from .geometry import constrain

        return constrain
    raise AttributeError(f"module 'thermograd' has no attribute {name!r}")
