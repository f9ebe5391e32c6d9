"""Data-parallel SGD, the baseline: one model, its gradient the mean over the replicas' batches.

    g ← mean of the gᵃ;   every replica takes the same step with it

n replicas with batches of b are one process with batches of n b, at one exchange a step.
"""

import torch
from torch import Tensor
from torch.optim import Optimizer

from .._errors import LostReplicaError
from .buckets import Exchange, post_mean
from .transport import Transport

__all__ = ["DataParallel"]


class DataParallel:
    """Any optimizer, fed with the mean gradient of all replicas.

    Replicas in one process post first, all of them, and then step; in a process each, `step`
    alone does both.

    Args:
        optimizer: of this replica; the replicas start at the same parameters.
        replica: this replica's end of a transport.
    """

    def __init__(self, optimizer: Optimizer, replica: Transport) -> None:
        self.optimizer = optimizer
        self.replica = replica
        self._under_way: Exchange | None = None

    def _gradients(self) -> list[Tensor]:
        found: list[Tensor] = []
        for group in self.optimizer.param_groups:
            for q in group["params"]:
                if q.requires_grad:
                    q.grad = torch.zeros_like(q) if q.grad is None else q.grad
                    found.append(q.grad)
        return found

    def post(self) -> None:
        """Begin to exchange the gradients that are there now."""
        if self._under_way is None:
            self._under_way = post_mean(self.replica, self._gradients())

    def step(self) -> None:
        """Step with the mean gradient.

        Raises:
            LostReplicaError: in all replicas, if one of them has NaN or infinite gradients.
        """
        self.post()
        exchange, self._under_way = self._under_way, None
        if exchange is not None:
            try:
                mean = exchange.wait(exclude=False)
            except LostReplicaError as error:
                raise LostReplicaError(str(error).replace("parameters", "gradients", 1)) from None
            for grad, g in zip(self._gradients(), mean, strict=True):
                grad.copy_(g)
        self.optimizer.step()
