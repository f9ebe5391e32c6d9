"""The order of the examples of a replica, as a function of the step alone.

Epoch e of a replica is a permutation drawn from a stream of its own, so a continuation needs no
state and no two replicas of a seed see the same order.
"""

from typing import final

import torch
from torch import Tensor

from .._checks import positive_int, require
from ..sampling.streams import stream

__all__ = ["Batches"]


@final
class Batches:
    """Batches of indices, epoch after epoch; the last of an epoch may be smaller.

    Args:
        indices: of the examples that this replica sees.
        batch_size: of a batch; above their number it is all of them.
        seed: of the run.
        rank: of the replica.
    """

    def __init__(self, indices: Tensor, batch_size: int, *, seed: int, rank: int) -> None:
        require(len(indices) > 0, "indices", "Batches", "one or more", indices)
        self.batch_size = positive_int(batch_size, "batch_size", "Batches")
        self._indices, self._seed, self._rank = indices, seed, rank
        self._epoch, self._order = -1, indices

    @property
    def per_epoch(self) -> int:
        """How many batches there are in an epoch."""
        return -(-len(self._indices) // self.batch_size)

    @property
    def data_order(self) -> str:
        """What the order derives from, for `replicas.Handshake`."""
        return f"{self._seed} {self._rank}"

    def at(self, step: int) -> Tensor:
        """Return the indices of a step's batch."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            generator = stream(self._seed, f"batches of replica {self._rank}, epoch {epoch}")
            order = torch.randperm(len(self._indices), generator=generator)
            self._epoch, self._order = epoch, self._indices[order]
        return self._order[place * self.batch_size : (place + 1) * self.batch_size]
