"""What replicas tell each other before they start, so that a wrong group never trains.

Each posts four digests and a number: of its parameters' shapes, of their dtypes, of the seed of
its data order, of its terms (any text that must be the same everywhere, such as its settings),
and the step it could continue from. All see the same table, so all refuse with the same message.
"""

import hashlib
from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor

from .._errors import ParameterError, TensorError
from .transport import Sum, Transport

__all__ = ["Handshake"]

SHAPES, DTYPES, ORDER, TERMS, STEP = range(5)


@final
class Handshake:
    """Posts what this replica is; `check` compares it with the others.

    Replicas in one process all make theirs before the first one checks.

    Args:
        transport: this replica's end.
        params: its parameters.
        data_order: what its data order derives from, such as a seed.
        terms: text that must be the same everywhere.
        step: where it could continue; any integer.
    """

    def __init__(
        self,
        transport: Transport,
        params: Sequence[Tensor],
        *,
        data_order: object,
        terms: str = "",
        step: int = 0,
    ) -> None:
        self._size = transport.size
        rows = torch.zeros(5, transport.size, dtype=torch.float64, device=params[0].device)
        rows[SHAPES, transport.rank] = _digest([tuple(q.shape) for q in params])
        rows[DTYPES, transport.rank] = _digest([q.dtype for q in params])
        rows[ORDER, transport.rank] = _digest(data_order)
        rows[TERMS, transport.rank] = _digest(terms)
        rows[STEP, transport.rank] = float(step)
        self._sum: Sum = transport.post(rows.flatten(), exact=True)

    def check(self) -> list[int]:
        """Return the step of every replica, by rank; waits for all of them.

        Raises:
            TensorError: in all replicas, if the parameters differ in shape or dtype.
            ParameterError: in all replicas, if two have the same data order, or other terms.
        """
        rows = self._sum.wait().view(5, self._size).tolist()
        if (rank := _other(rows[SHAPES])) is not None:
            raise TensorError(
                f"replicas 0 and {rank} have parameters of other shapes: not one architecture. "
                "Build the same model everywhere"
            )
        if (rank := _other(rows[DTYPES])) is not None:
            raise TensorError(
                f"replicas 0 and {rank} have parameters of other dtypes. Use one dtype everywhere"
            )
        if (rank := _other(rows[TERMS])) is not None:
            raise ParameterError(
                f"replicas 0 and {rank} were given other settings. Start all with the same"
            )
        for rank, order in enumerate(rows[ORDER]):
            first = rows[ORDER].index(order)
            if first < rank:
                raise ParameterError(
                    f"replicas {first} and {rank} take their data in the same order, so that they "
                    "are one replica twice. Derive the seed of the order from the rank"
                )
        return [int(step) for step in rows[STEP]]


def _digest(value: object) -> float:
    """Return 48 bits that tell one value from another; a float64 holds them exactly."""
    return float(int.from_bytes(hashlib.sha256(repr(value).encode()).digest()[:6], "big"))


def _other(row: Sequence[float]) -> int | None:
    """Return the first rank that differs from rank 0."""
    return next((rank for rank, value in enumerate(row) if value != row[0]), None)
