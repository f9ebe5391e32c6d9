"""How replicas reach each other: a transport adds up what all of them post.

A transport is one replica's end. `post` hands over a flat buffer and returns at once; `Sum.wait`
returns the sum over all replicas, in the order of their ranks, so that two transports with the
same order give the same bits. Nothing waits but `wait`, so a sum can be under way while its
replica computes.

A transport is: `rank` and `size`; `post(buffer) -> Sum`, rounded on the way if it compresses;
`gather(values) -> list`; `barrier()`; and `ledger`, which counts. `local` has n ends in one
process, `distributed` one in each.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import torch
from torch import Tensor

from .._checks import one_of

__all__ = [
    "Compress",
    "Ledger",
    "Sum",
    "Transport",
    "checked_compress",
    "rounded",
    "sum_of",
    "timed",
]

Compress: TypeAlias = Literal["float16", "bfloat16"]


@dataclass(slots=True)
class Ledger:
    """What a replica has sent and how long it waited.

    Attributes:
        bytes: handed over for sending.
        messages: posts and gathers.
        seconds: spent in posting and waiting.
    """

    bytes: int = 0
    messages: int = 0
    seconds: float = 0.0

    def sent(self, buffer: Tensor) -> None:
        """Count a buffer."""
        self.bytes += buffer.numel() * buffer.element_size()
        self.messages += 1

    @staticmethod
    def model(num_params: int, itemsize: int, every: int, steps: int) -> float:
        """Return the bytes of the paper's model: 2d/L numbers a step, up and down."""
        return 2.0 * num_params * itemsize * steps / every


@dataclass(slots=True)
class Sum:
    """A sum over replicas that may be under way.

    Attributes:
        finish: waits, and returns the sum.
    """

    finish: Callable[[], Tensor]
    result: Tensor | None = field(default=None, init=False)

    def wait(self) -> Tensor:
        """Return the sum over all replicas; the same tensor each time."""
        if self.result is None:
            self.result = self.finish()
        return self.result


class Transport(Protocol):
    """One replica's end of a group of replicas."""

    @property
    def rank(self) -> int:
        """This replica's number, from 0."""
        ...

    @property
    def size(self) -> int:
        """How many replicas there are."""
        ...

    @property
    def ledger(self) -> Ledger:
        """What it has sent."""
        ...

    def post(self, buffer: Tensor, *, exact: bool = False) -> Sum:
        """Hand over a flat buffer, which may be overwritten at once, to be summed over ranks.

        Args:
            buffer: flat.
            exact: whether it goes as it is, though the others are compressed.
        """
        ...

    def gather(self, values: Sequence[float]) -> list[list[float]]:
        """Return every replica's numbers by rank; waits for all of them."""
        ...

    def barrier(self) -> None:
        """Wait until every replica is here."""
        ...


def timed(ledger: Ledger, work: Callable[[], Tensor]) -> Tensor:
    """Run `work` on the clock of a ledger."""
    start = time.perf_counter()
    done = work()
    ledger.seconds += time.perf_counter() - start
    return done


def checked_compress(compress: Compress | None, owner: str) -> Compress | None:
    """Return a kind of compression that there is."""
    if compress is not None:
        one_of(compress, ("float16", "bfloat16"), "compress", owner)
    return compress


def rounded(buffer: Tensor, compress: Compress | None) -> Tensor:
    """Return a copy of a buffer, rounded to a shorter dtype; what is out of its range is clipped.

    The relative error is at most 2⁻¹¹ in float16, above 6·10⁻⁵ and below 65504, and 2⁻⁸ in
    bfloat16.
    """
    if compress is None or not buffer.is_floating_point() or buffer.element_size() <= 2:
        return buffer.clone()
    dtype = torch.float16 if compress == "float16" else torch.bfloat16
    limit = torch.finfo(dtype).max
    return buffer.clamp(-limit, limit).to(dtype)


def sum_of(posts: Sequence[Tensor], dtype: torch.dtype) -> Tensor:
    """Return the sum of posts in their order, in the dtype they had before they were rounded."""
    total = posts[0].to(dtype, copy=True)
    for other in posts[1:]:
        total.add_(other)
    return total
