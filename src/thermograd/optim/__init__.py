"""Drop-in optimizers: subclasses of `torch.optim.Optimizer`, one gradient a step."""

from .adaptive_langevin import AdaptiveLangevin
from .adlala import AdLaLa
from .dhsgd import DHSGD
from .langevin import Langevin
from .lol import LOL
from .partitioned import Method, Partitioned
from .sgld import SGLD
from .thermometer import Reading, Temperature
from .underdamped_sgd import SGDSettings, UnderdampedSGD, from_sgd

__all__ = [
    "DHSGD",
    "LOL",
    "SGLD",
    "AdLaLa",
    "AdaptiveLangevin",
    "Langevin",
    "Method",
    "Partitioned",
    "Reading",
    "SGDSettings",
    "Temperature",
    "UnderdampedSGD",
    "from_sgd",
]
