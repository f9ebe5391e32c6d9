"""Scratch memory that is kept from call to call: no state, and not copied with its owner."""

from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor

_LAYOUTS = 256  # layouts of the buffer that are kept: parts of a model, times tiles

_Layout: TypeAlias = tuple[Tensor, list[Tensor]]


class Workspace:
    """A flat buffer that grows as needed, and its views in the shapes lately asked for."""

    def __init__(self) -> None:
        self._buffer = torch.empty(0)
        self._layouts: dict[object, _Layout] = {}

    def __deepcopy__(self, memo: object) -> "Workspace":
        return Workspace()

    def like(self, tensors: Sequence[Tensor], multiple: int = 1) -> _Layout:
        """Return a flat tensor and its views in the shapes of `tensors`."""
        first = tensors[0]
        key = (first.dtype, first.device, *[tensor.shape for tensor in tensors])
        found = self._layouts.get(key)
        if found is None:
            found = self._layouts[key] = self._lay_out(tensors, multiple)
        return found

    def _lay_out(self, tensors: Sequence[Tensor], multiple: int) -> _Layout:
        first, old = tensors[0], self._buffer
        sizes = [tensor.numel() for tensor in tensors]
        total = sum(sizes)
        full = -(-total // multiple) * multiple
        is_other = (old.dtype, old.device) != (first.dtype, first.device)
        if old.numel() < full or is_other or len(self._layouts) == _LAYOUTS:
            self._layouts.clear()  # their views would keep the old buffer alive
        if old.numel() < full or is_other:
            self._buffer = torch.empty(full, dtype=first.dtype, device=first.device)
        pieces = self._buffer[:total].split(sizes)
        views = [piece.view(t.shape) for piece, t in zip(pieces, tensors, strict=True)]
        return self._buffer[:full], views
