"""Drop-in optimizers: subclasses of `torch.optim.Optimizer`, one gradient a step."""

from .langevin import Langevin
from .sgld import SGLD
from .thermometer import Reading, Temperature
from .underdamped_sgd import SGDSettings, UnderdampedSGD, from_sgd

__all__ = [
    "SGLD",
    "Langevin",
    "Reading",
    "SGDSettings",
    "Temperature",
    "UnderdampedSGD",
    "from_sgd",
]
