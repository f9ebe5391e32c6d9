"""Flat buffers of the tensors that replicas exchange, with a flag for each replica.

The tensors are packed in order, one bucket for each dtype and device; the first bucket ends with a
number for each replica, 1 if what this replica posts is finite and 0 if not, in which case it
posts zeros. So the sum says how many take part and who does not, and the mean is over the rest.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from .._errors import LostReplicaError
from .._foreach import all_finite
from .transport import Sum, Transport

__all__ = ["Exchange", "mean_of", "post_mean"]


class Exchange:
    """A mean over replicas that is under way.

    Args:
        sums: of each bucket, in the order of `like`'s dtypes.
        like: what was posted.
        size: how many replicas there are.
    """

    def __init__(self, sums: Sequence[Sum], like: Sequence[Tensor], size: int) -> None:
        self._sums, self._like, self._size = list(sums), list(like), size
        self.missing: tuple[int, ...] = ()

    def wait(self, *, exclude: bool) -> list[Tensor]:
        """Return the mean over the replicas whose posts are finite.

        Args:
            exclude: whether to go on without the others.

        Raises:
            LostReplicaError: if a post was not finite and `exclude` is false, or none was finite.
        """
        totals = [entry.wait() for entry in self._sums]
        flags = totals[0][-self._size :]
        count = float(flags.sum())
        if count < self._size:
            self.missing = tuple(k for k, flag in enumerate(flags.tolist()) if flag == 0.0)
            named = ", ".join(map(str, self.missing))
            if not exclude or count == 0:
                raise LostReplicaError(
                    f"replica {named} of {self._size} holds NaN or infinite parameters; all stop. "
                    "A smaller lr may help; on_lost='exclude' goes on without it"
                )
        found: list[Tensor] = [torch.empty(0)] * len(self._like)
        for rows, total in zip(_buckets(self._like), totals, strict=True):
            pieces = (total / count)[: sum(self._like[k].numel() for k in rows)].split(
                [self._like[k].numel() for k in rows]
            )
            for k, piece in zip(rows, pieces, strict=True):
                found[k] = piece.view(self._like[k].shape)
        return found


def post_mean(
    transport: Transport, tensors: Sequence[Tensor], *, is_lost: bool = False
) -> Exchange:
    """Begin a mean of tensors over replicas; one that is lost takes part with nothing."""
    is_sound = not is_lost and all_finite(list(tensors))
    sums: list[Sum] = []
    for number, rows in enumerate(_buckets(tensors)):
        first = tensors[rows[0]]
        pieces = [tensors[k].detach().reshape(-1) for k in rows]
        if not is_sound:
            pieces = [torch.zeros_like(piece) for piece in pieces]
        if number == 0:
            flags = first.new_zeros(transport.size)
            flags[transport.rank] = float(is_sound)
            pieces.append(flags)
        sums.append(transport.post(torch.cat(pieces)))
    return Exchange(sums, tensors, transport.size)


def mean_of(
    transport: Transport, tensors: Sequence[Tensor], *, exclude: bool = False
) -> list[Tensor]:
    """Return the mean of tensors over replicas; waits for all of them."""
    return post_mean(transport, tensors).wait(exclude=exclude)


def _buckets(tensors: Sequence[Tensor]) -> list[list[int]]:
    """Return the indices of the tensors of each dtype and device."""
    found: dict[tuple[torch.dtype, torch.device], list[int]] = {}
    for k, tensor in enumerate(tensors):
        found.setdefault((tensor.dtype, tensor.device), []).append(k)
    return list(found.values())
