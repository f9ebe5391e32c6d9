"""Networks of the papers, in plain torch, initialised from a generator that is handed in."""

from ._resolve import build, names, resolve_model
from .lenet import lenet
from .mlp import mlp
from .perceptron import perceptron
from .small_cnn import small_cnn

__all__ = ["build", "lenet", "mlp", "names", "perceptron", "resolve_model", "small_cnn"]
