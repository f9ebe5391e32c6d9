"""Text as batches for a language model: inputs, and at each place the token that comes next.

`streams` and `windows` read a text in order, for a model that carries its state on; `examples` cuts
it into pieces that stand by themselves, for a potential or a shuffled loader. Tokens left over at
the end are dropped.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from .._checks import positive_int
from .._errors import DataError, ParameterError

__all__ = ["examples", "streams", "windows"]


def streams(tokens: Tensor, batch_size: int) -> Tensor:
    """Return a text cut into B equal parts, shape (B, N // B); each is read by itself.

    Args:
        tokens: the text, int64, shape (N,).
        batch_size: B > 0.
    """
    positive_int(batch_size, "batch_size", "streams")
    _check(tokens, 2 * batch_size)
    return tokens[: len(tokens) // batch_size * batch_size].view(batch_size, -1)


def windows(parts: Tensor, length: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield inputs and next tokens along parallel texts, each (B, L), the last ones shorter.

    A window begins where the one before ended, so a model's state may be carried over.

    Args:
        parts: from `streams`, shape (B, n).
        length: L > 0.
    """
    positive_int(length, "length", "windows")
    last = parts.shape[1] - 1
    for start in range(0, last, length):
        stop = min(start + length, last)
        yield parts[:, start:stop], parts[:, start + 1 : stop + 1]


def examples(tokens: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """Return inputs and next tokens of pieces that do not overlap, both ((N − 1) // L, L).

    Args:
        tokens: the text, int64, shape (N,).
        length: L > 0.
    """
    positive_int(length, "length", "examples")
    _check(tokens, length + 1)
    stop = (len(tokens) - 1) // length * length
    return tokens[:stop].view(-1, length), tokens[1 : stop + 1].view(-1, length)


def _check(tokens: Tensor, least: int) -> None:
    if tokens.dim() != 1 or tokens.dtype is not torch.int64:
        raise ParameterError(
            "a text must be token numbers, int64 of shape (N,); got "
            f"{tokens.dtype} of shape {tuple(tokens.shape)}"
        )
    if len(tokens) < least:
        raise DataError(f"the text has {len(tokens)} tokens; this takes at least {least}")
