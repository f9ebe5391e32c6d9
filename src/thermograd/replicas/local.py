"""Replicas in one process, run in turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from torch import Tensor

from .._checks import positive_int
from .._errors import EvaluationError, TensorError
from .transport import Ledger, Sum, timed

__all__ = ["LocalReplica", "local"]


@dataclass(slots=True)
class _Round:
    """What was posted in one exchange, by rank, and how many have fetched the sum."""

    posts: dict[int, Tensor] = field(default_factory=dict[int, Tensor])
    total: Tensor | None = None
    fetched: int = 0


@dataclass(slots=True)
class _Board:
    """Where the replicas of a group leave their posts."""

    size: int
    rounds: dict[int, _Round] = field(default_factory=dict[int, _Round])


@final
class LocalReplica:
    """One of several replicas in a process; made by `local`.

    Args:
        board: where they meet.
        rank: its number.
    """

    def __init__(self, board: _Board, rank: int) -> None:
        self._board = board
        self._rank = rank
        self._posted = 0
        self._ledger = Ledger()

    @property
    def rank(self) -> int:
        """This replica's number, from 0."""
        return self._rank

    @property
    def size(self) -> int:
        """How many replicas there are."""
        return self._board.size

    @property
    def ledger(self) -> Ledger:
        """What it has sent."""
        return self._ledger

    def post(self, buffer: Tensor) -> Sum:
        """Hand over a copy of a flat buffer, to be summed over ranks."""
        number, self._posted = self._posted, self._posted + 1
        posts = self._board.rounds.setdefault(number, _Round()).posts
        for other, theirs in posts.items():
            if (theirs.shape, theirs.dtype) != (buffer.shape, buffer.dtype):
                raise TensorError(
                    f"replica {self._rank} exchanges {buffer.numel()} numbers of {buffer.dtype} "
                    f"and replica {other} {theirs.numel()} of {theirs.dtype}; they must be alike"
                )
        self._ledger.sent(buffer)
        posts[self._rank] = timed(self._ledger, buffer.clone)
        return Sum(lambda: timed(self._ledger, lambda: self._fetch(number)))

    def _fetch(self, number: int) -> Tensor:
        found = self._board.rounds[number]
        if found.total is None:
            missing = [rank for rank in range(self.size) if rank not in found.posts]
            if missing:
                raise EvaluationError(
                    f"replica {self._rank} waits at exchange {number} for replica {missing[0]}, "
                    "which runs in this process and has not come as far. Run the replicas in turn: "
                    "one step of each"
                )
            found.total = found.posts[0].clone()
            for rank in range(1, self.size):
                found.total.add_(found.posts[rank])
        found.fetched += 1
        if found.fetched == self.size:
            del self._board.rounds[number]
        return found.total

    def gather(self, values: Sequence[float]) -> list[list[float]]:
        """Refuse: replicas in turn cannot all be here at once; post a buffer instead.

        Raises:
            EvaluationError: if there are several replicas.
        """
        if self.size > 1:
            raise EvaluationError("replicas of one process come in turn and cannot gather; post")
        return [list(values)]

    def barrier(self) -> None:
        """Do nothing: one process does not wait for itself."""


def local(size: int) -> tuple[LocalReplica, ...]:
    """Make the ends of a group of replicas in this process.

    Args:
        size: n, how many.

    Returns:
        a transport for each replica; run the replicas in turn.
    """
    board = _Board(positive_int(size, "size", "local"))
    return tuple(LocalReplica(board, rank) for rank in range(size))
