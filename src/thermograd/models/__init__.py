"""Networks of the papers, in plain torch, initialised from a generator that is handed in."""

from ._resolve import build, names, resolve_model
from .lenet import lenet
from .mlp import mlp
from .perceptron import perceptron
from .resnet18 import resnet18
from .resnet34 import resnet34
from .small_cnn import small_cnn

__all__ = [
    "build",
    "lenet",
    "mlp",
    "names",
    "perceptron",
    "resnet18",
    "resnet34",
    "resolve_model",
    "small_cnn",
]
