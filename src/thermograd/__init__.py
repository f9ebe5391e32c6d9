"""thermograd: train and sample neural networks with discretised stochastic dynamics."""

__version__ = "0.1.0"
__all__ = ["__version__"]
