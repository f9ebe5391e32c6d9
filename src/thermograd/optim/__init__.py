"""Drop-in optimizers: subclasses of `torch.optim.Optimizer`, one gradient a step."""

from .adaptive_langevin import AdaptiveLangevin
from .adlala import AdLaLa
from .c_colod import CColod
from .c_colud import CColud
from .constrained_langevin import ConstrainedLangevin
from .controlled_sgd import ControlledSGD
from .dhsgd import DHSGD
from .elastic_sgd import ElasticSGD
from .entropy_sgd import EntropyAdam, EntropySGD
from .hamilton_jacobi import HJ
from .heat import HEAT
from .langevin import Langevin
from .lol import LOL
from .multirate_dropout import MultirateDropout
from .multirate_langevin import MultirateLangevin
from .multirate_sgd import MultirateSGD
from .o_colod import OColod
from .o_colud import OColud
from .parle import Parle
from .partitioned import Method, Partitioned
from .sgld import SGLD
from .thermometer import Reading, Temperature
from .trivialized_sgd import TrivializedSGD
from .two_rate_sgd import TwoRateSGD
from .underdamped_sgd import SGDSettings, UnderdampedSGD, from_sgd
from .viscous_hj import ViscousHJ

__all__ = [
    "DHSGD",
    "HEAT",
    "HJ",
    "LOL",
    "SGLD",
    "AdLaLa",
    "AdaptiveLangevin",
    "CColod",
    "CColud",
    "ConstrainedLangevin",
    "ControlledSGD",
    "ElasticSGD",
    "EntropyAdam",
    "EntropySGD",
    "Langevin",
    "Method",
    "MultirateDropout",
    "MultirateLangevin",
    "MultirateSGD",
    "OColod",
    "OColud",
    "Parle",
    "Partitioned",
    "Reading",
    "SGDSettings",
    "Temperature",
    "TrivializedSGD",
    "TwoRateSGD",
    "UnderdampedSGD",
    "ViscousHJ",
    "from_sgd",
]
