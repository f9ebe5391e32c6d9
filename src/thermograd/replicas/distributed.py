"""Replicas in one process each, on torch.distributed: the only file that knows it.

Start the processes with torchrun; each of them meets the others in `processes()`, which also says
goodbye to them. A program that calls `torch.distributed.init_process_group` itself takes its end
with `distributed()`.
"""

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Literal, TypeVar, final

import torch
import torch.distributed as dist
from torch import Tensor

from .._checks import one_of, positive, positive_int, require
from .._errors import EvaluationError, SilentReplicaError
from .transport import Compress, Ledger, Sum, checked_compress, rounded, sum_of, timed

__all__ = ["DistributedReplica", "Order", "distributed", "is_launched", "processes", "tree"]

Order = Literal["rank", "any"]
Backend = Literal["gloo", "nccl"]
Result = TypeVar("Result")

RENDEZVOUS = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
TIMEOUT = 300.0


@final
class DistributedReplica:
    """A process's end of a group of replicas; made by `processes`, `distributed` and `tree`.

    Args:
        group: of processes; None is all of them.
        order: "rank" adds in the order of the ranks, with the bits of `local`, from an
            all-gather; "any" leaves the order to an all-reduce, which sends less.
        timeout: seconds to wait for the others.
        compress: round what is exchanged to "float16" or "bfloat16"; sums are not rounded, so it
            needs order "rank".
        bucket: numbers in a message at most; None is all in one.
    """

    def __init__(
        self,
        group: dist.ProcessGroup | None,
        order: Order,
        timeout: float = TIMEOUT,
        compress: Compress | None = None,
        bucket: int | None = None,
    ) -> None:
        self._group = group
        self._order = one_of(order, ("rank", "any"), "order", "distributed")
        self._timeout = positive(timeout, "timeout", "distributed")
        self._compress: Compress | None = checked_compress(compress, "distributed")
        ok = compress is None or order == "rank"
        require(ok, "order", "distributed", "'rank' where messages are compressed", order)
        self._bucket = None if bucket is None else positive_int(bucket, "bucket", "distributed")
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

    def post(self, buffer: Tensor, *, exact: bool = False) -> Sum:
        """Begin to sum a copy of a flat buffer over ranks.

        Args:
            buffer: flat.
            exact: whether it goes as it is, though the others are compressed.
        """
        start = time.perf_counter()
        mine = rounded(buffer, None if exact else self._compress)
        pieces = mine.split(self._bucket or max(1, mine.numel()))
        finishes = [self._begin(piece, buffer.dtype) for piece in pieces]
        self._ledger.seconds += time.perf_counter() - start

        def finish() -> Tensor:
            totals = [one() for one in finishes]
            return totals[0] if len(totals) == 1 else torch.cat(totals)

        return Sum(lambda: timed(self._ledger, finish))

    def _begin(self, piece: Tensor, dtype: torch.dtype) -> Callable[[], Tensor]:
        """Begin to sum a message; return what waits for the sum."""
        self._ledger.sent(piece)
        if self._order == "any":
            work = self._answered(lambda: dist.all_reduce(piece, group=self._group, async_op=True))
            outs = [piece]
        else:
            outs = [torch.empty_like(piece) for _ in range(self.size)]
            work = self._gathered(outs, piece)

        def finish() -> Tensor:
            self._wait(work)
            return outs[0] if self._order == "any" else sum_of(outs, dtype)

        return finish

    def _gathered(self, outs: list[Tensor], mine: Tensor) -> Any:
        return self._answered(lambda: dist.all_gather(outs, mine, group=self._group, async_op=True))

    def _wait(self, work: Any) -> None:
        self._answered(lambda: work.wait(timedelta(seconds=self._timeout)))

    def _answered(self, call: Callable[[], Result]) -> Result:
        """Return what a call returns; in every replica the same error if it fails."""
        try:
            return call()
        except RuntimeError as error:
            raise SilentReplicaError(
                f"one of {self.size} replicas hangs or is gone: no exchange within the timeout of "
                f"{self._timeout:g} s, or a closed connection; all stop"
            ) from error

    def gather(self, values: Sequence[float]) -> list[list[float]]:
        """Return every process's numbers by rank; waits for all of them."""
        mine = torch.tensor(list(values), dtype=torch.float64)
        outs = [torch.empty_like(mine) for _ in range(self.size)]
        self._ledger.sent(mine)
        self._wait(self._gathered(outs, mine))
        return [row.tolist() for row in outs]

    def barrier(self) -> None:
        """Wait until every process is here."""
        self._wait(self._answered(lambda: dist.barrier(group=self._group, async_op=True)))


def is_launched() -> bool:
    """Tell whether this process was started as one of several, as torchrun does."""
    return "RANK" in os.environ or "WORLD_SIZE" in os.environ


@contextmanager
def processes(
    backend: Backend = "gloo",
    *,
    order: Order = "rank",
    timeout: float = TIMEOUT,
    compress: Compress | None = None,
    bucket: int | None = None,
) -> Generator[DistributedReplica]:
    """Meet the other processes, for the length of a `with` block.

    Args:
        backend: "gloo", or "nccl" for tensors on GPUs.
        order: as for `DistributedReplica`.
        timeout: seconds to wait for the others, here and at every exchange.
        compress: as for `DistributedReplica`.
        bucket: as for `DistributedReplica`.

    Yields:
        this process's end of the group of all processes.

    Raises:
        EvaluationError: if the processes were not started with torchrun.
        SilentReplicaError: if not all of them come.
    """
    one_of(backend, ("gloo", "nccl"), "backend", "processes")
    limit = timedelta(seconds=positive(timeout, "timeout", "processes"))
    missing = [name for name in RENDEZVOUS if not os.environ.get(name)]
    if missing:
        raise EvaluationError(
            f"the replicas cannot meet: {', '.join(missing)} is not set in the environment. Start "
            "them with torchrun --nproc-per-node N, or run them in one process with local(N)"
        )
    try:
        _meet(backend, limit)
    except RuntimeError as error:
        where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
        raise SilentReplicaError(
            f"not all of {os.environ['WORLD_SIZE']} replicas came to {where} within the timeout of "
            f"{timeout:g} s; all stop"
        ) from error
    try:
        end = distributed(order, timeout=timeout, compress=compress, bucket=bucket)
        yield end
        end.barrier()  # one that leaves early can bring the others down
    finally:
        dist.destroy_process_group()


def _meet(backend: Backend, limit: timedelta) -> None:
    """Make the group of all processes, in a corner of the store that this start has for itself.

    torchrun may keep one store over its restarts, where the addresses of the processes that died
    still stand.
    """
    store, rank, size = next(dist.rendezvous("env://", timeout=limit))  # pyright: ignore[reportPrivateImportUsage]
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    own = dist.PrefixStore(f"thermograd {attempt}", store)  # pyright: ignore[reportPrivateImportUsage]
    dist.init_process_group(backend, store=own, rank=rank, world_size=size, timeout=limit)


def distributed(
    order: Order = "rank",
    *,
    timeout: float = TIMEOUT,
    compress: Compress | None = None,
    bucket: int | None = None,
) -> DistributedReplica:
    """Return this process's end of the group of all processes.

    Args:
        order: of the additions, see `DistributedReplica`.
        timeout: seconds to wait for the others at an exchange.
        compress: as for `DistributedReplica`.
        bucket: as for `DistributedReplica`.
    """
    _require_group()
    return DistributedReplica(None, order, timeout, compress, bucket)


def tree(
    width: int, order: Order = "rank", *, timeout: float = TIMEOUT
) -> tuple[DistributedReplica, DistributedReplica]:
    """Return this process's ends of its group of `width` neighbours, and of the group above.

    Args:
        width: processes of a group; it divides the number of all.
        order: of the additions, see `DistributedReplica`.
        timeout: seconds to wait for the others at an exchange.
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
    return DistributedReplica(below, order, timeout), DistributedReplica(above, order, timeout)


def _require_group() -> None:
    if not (dist.is_available() and dist.is_initialized()):
        raise EvaluationError(
            "there is no process group: start with torchrun and call "
            "torch.distributed.init_process_group, or run replicas in one process with local(n)"
        )
