"""Training with replicas: batches, the loop, its checkpoints and its account of communication.

`thermograd run` trains what a configuration with a table `[train]` describes through this; a
program of its own may do the same with any optimizer of replicas.
"""

from .account import Account
from .batches import Batches
from .loop import train
from .member import Member

__all__ = ["Account", "Batches", "Member", "train"]
