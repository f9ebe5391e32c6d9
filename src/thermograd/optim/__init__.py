"""Drop-in optimizers: subclasses of `torch.optim.Optimizer`, one gradient a step."""

from .adaptive_langevin import AdaptiveLangevin
from .adlala import AdLaLa
from .c_colod import CColod
from .c_colud import CColud
from .constrained_langevin import ConstrainedLangevin
from .dhsgd import DHSGD
from .langevin import Langevin
from .lol import LOL
from .multirate_dropout import MultirateDropout
from .multirate_langevin import MultirateLangevin
from .multirate_sgd import MultirateSGD
from .o_colod import OColod
from .o_colud import OColud
from .partitioned import Method, Partitioned
from .sgld import SGLD
from .thermometer import Reading, Temperature
from .two_rate_sgd import TwoRateSGD
from .underdamped_sgd import SGDSettings, UnderdampedSGD, from_sgd

__all__ = [
    "DHSGD",
    "LOL",
    "SGLD",
    "AdLaLa",
    "AdaptiveLangevin",
    "CColod",
    "CColud",
    "ConstrainedLangevin",
    "Langevin",
    "Method",
    "MultirateDropout",
    "MultirateLangevin",
    "MultirateSGD",
    "OColod",
    "OColud",
    "Partitioned",
    "Reading",
    "SGDSettings",
    "Temperature",
    "TwoRateSGD",
    "UnderdampedSGD",
    "from_sgd",
]
