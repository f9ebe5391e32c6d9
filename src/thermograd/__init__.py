"""thermograd: train and sample neural networks with discretised stochastic dynamics."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .sampling import sample

__version__ = "0.1.0"
__all__ = ["__version__", "sample"]


def __getattr__(name: str) -> object:
    if name == "sample":
        from .sampling import sample  # late: the command line starts without torch

        return sample
    raise AttributeError(f"module 'thermograd' has no attribute {name!r}")
