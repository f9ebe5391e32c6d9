"""Replicas: copies of a model that are trained apart and pulled together.

A coupling rule (`thermograd.optim.Parle`, `ElasticSGD`, `DataParallel`, averaging) and a transport:
`local`, all replicas in one process in turn, or `distributed`, one in each process.
"""

from .alignment import align, overlap
from .averaging import average, ensemble_probabilities, recompute_statistics
from .buckets import mean_of
from .centre import Centre, Level
from .data_parallel import DataParallel
from .local import LocalReplica, local
from .split import split
from .transport import Ledger, Sum, Transport

__all__ = [
    "Centre",
    "DataParallel",
    "Ledger",
    "Level",
    "LocalReplica",
    "Sum",
    "Transport",
    "align",
    "average",
    "ensemble_probabilities",
    "local",
    "mean_of",
    "overlap",
    "recompute_statistics",
    "split",
]
