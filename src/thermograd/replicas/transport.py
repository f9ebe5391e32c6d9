"""How replicas reach each other: a transport adds up what all of them post.

A transport is one replica's end. `post` hands over a flat buffer and returns at once; `Sum.wait`
returns the sum over all replicas, in the order of their ranks, so that two transports with the
same order give the same bits. Nothing waits but `wait`, so a sum can be under way while its
replica computes.

A transport is: `rank` and `size`; `post(buffer) -> Sum`; `gather(values) -> list`; `barrier()`;
and `ledger`, which counts. `local` has n ends in one process, `distributed` one in each.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from torch import Tensor

__all__ = ["Ledger", "Sum", "Transport", "timed"]


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

    def post(self, buffer: Tensor) -> Sum:
        """Hand over a flat buffer, which may be overwritten at once, to be summed over ranks."""
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
