"""Networks of the papers, in plain torch, initialised from a generator that is handed in."""

from ._resolve import build, names, resolve_model
from .all_cnn import all_cnn
from .all_cnn_bn import all_cnn_bn
from .char_lstm import char_lstm
from .lenet import lenet
from .lenet_bn import lenet_bn
from .mlp import mlp
from .mnistfc import mnistfc
from .perceptron import perceptron
from .ptb_lstm import ptb_lstm
from .resnet18 import resnet18
from .resnet34 import resnet34
from .small_cnn import small_cnn
from .small_lenet import small_lenet
from .transformer import transformer
from .vgg11 import vgg11
from .wide_resnet import wide_resnet

__all__ = [
    "all_cnn",
    "all_cnn_bn",
    "build",
    "char_lstm",
    "lenet",
    "lenet_bn",
    "mlp",
    "mnistfc",
    "names",
    "perceptron",
    "ptb_lstm",
    "resnet18",
    "resnet34",
    "resolve_model",
    "small_cnn",
    "small_lenet",
    "transformer",
    "vgg11",
    "wide_resnet",
]
