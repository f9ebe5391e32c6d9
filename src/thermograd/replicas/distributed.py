"""Replicas in one process each, on torch.distributed: the only file that knows it.

Start the processes with torchrun and call `torch.distributed.init_process_group` as for any other
distributed program; then each process takes its end with `distributed()`.
"""

import time
from collections.abc import Sequence
from typing import Any, Literal, final

import torch
import torch.distributed as dist
from torch import Tensor

from .._checks import one_of, require
from .._errors import EvaluationError
from .transport import Ledger, Sum, timed

__all__ = ["DistributedReplica", "Order", "distributed", "tree"]

Order = Literal["rank", "any"]


@final
class DistributedReplica:
    """A process's end of a group of replicas; made by `distributed` and `tree`.

    Args:
        group: of processes; None is all of them.
        order: "rank" adds in the order of the ranks, with the bits of `local`, from an
            all-gather; "any" leaves the order to an all-reduce, which sends less.
    """

    def __init__(self, group: dist.ProcessGroup | None, order: Order) -> None:
        self._group = group
        self._order = one_of(order, ("rank", "any"), "order", "distributed")
        self._ledger = Ledger()

    @property
    def rank(self) -> int:
        """This process's number in the group."""
        return dist.get_rank(self._group)

    @property
    def size(self) -> int:
        """How many processes there are in the group."""
        return dist.get_world_size(self._group)

    @property
    def ledger(self) -> Ledger:
        """What it has sent."""
        return self._ledger

    def post(self, buffer: Tensor) -> Sum:
        """Begin to sum a copy of a flat buffer over ranks."""
        start = time.perf_counter()
        mine = buffer.clone()
        outs = [torch.empty_like(mine) for _ in range(self.size if self._order == "rank" else 0)]
        if outs:
            work = dist.all_gather(outs, mine, group=self._group, async_op=True)
        else:
            work = dist.all_reduce(mine, group=self._group, async_op=True)
        self._ledger.sent(buffer)
        self._ledger.seconds += time.perf_counter() - start

        def finish() -> Tensor:
            if work is not None:
                work.wait()
            if not outs:
                return mine
            total = outs[0]
            for other in outs[1:]:
                total.add_(other)
            return total

        return Sum(lambda: timed(self._ledger, finish))

    def gather(self, values: Sequence[float]) -> list[list[float]]:
        """Return every process's numbers by rank; waits for all of them."""
        mine = torch.tensor(list(values), dtype=torch.float64)
        outs = [torch.empty_like(mine) for _ in range(self.size)]
        self._ledger.sent(mine)
        dist.all_gather(outs, mine, group=self._group)
        return [row.tolist() for row in outs]

    def barrier(self) -> None:
        """Wait until every process is here."""
        dist.barrier(group=self._group)


def distributed(order: Order = "rank") -> DistributedReplica:
    """Return this process's end of the group of all processes.

    Args:
        order: of the additions, see `DistributedReplica`.
    """
    _require_group()
    return DistributedReplica(None, order)


def tree(width: int, order: Order = "rank") -> tuple[DistributedReplica, DistributedReplica]:
    """Return this process's ends of its group of `width` neighbours, and of the group above.

    Args:
        width: processes of a group; it divides the number of all.
        order: of the additions, see `DistributedReplica`.
    """
    _require_group()
    size, rank = dist.get_world_size(), dist.get_rank()
    ok = width > 0 and size % width == 0
    require(ok, "width", "tree", f"a divisor of the {size} processes", width)
    below: Any = None
    above: Any = None
    for first in range(0, size, width):  # every process makes every group, in the same order
        group = dist.new_group(list(range(first, first + width)))
        below = group if first <= rank < first + width else below
    for place in range(width):
        group = dist.new_group(list(range(place, size, width)))
        above = group if rank % width == place else above
    return DistributedReplica(below, order), DistributedReplica(above, order)


def _require_group() -> None:
    if not (dist.is_available() and dist.is_initialized()):
        raise EvaluationError(
            "there is no process group: start with torchrun and call "
            "torch.distributed.init_process_group, or run replicas in one process with local(n)"
        )
