"""Cuts the tensors of an optimizer into pieces that fit in the cache.

Element-wise methods may run their whole step on one piece before the next, so a piece is read
from memory once and the noise needs a buffer of one piece only. Small tensors are put together
until they fill a piece; large contiguous ones are cut; others stay whole.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

TILE = 1 << 18  # elements: positions, momenta, force and noise take 4 MB in float32
WHOLE = 4 * TILE  # so few elements gain nothing from being cut


@dataclass(slots=True)
class Columns:
    """Tensors of the same parameters, side by side.

    Attributes:
        q: positions.
        p: momenta; empty for methods without them.
        g: gradients.
        aux: further state, by name.
    """

    q: list[Tensor]
    p: list[Tensor]
    g: list[Tensor]
    aux: dict[str, list[Tensor]]

    def lists(self) -> list[list[Tensor]]:
        """Return every non-empty column."""
        return [column for column in (self.q, self.p, self.g, *self.aux.values()) if column]

    def carried(self) -> Tensor:
        """Return a tensor that the method keeps beside positions; they may be in half precision."""
        kept = [*self.p, *(tensor for column in self.aux.values() for tensor in column)]
        return kept[0] if kept else self.q[0]

    @classmethod
    def empty(cls, auxiliaries: tuple[str, ...]) -> "Columns":
        """Return columns without rows."""
        return cls([], [], [], {name: [] for name in auxiliaries})

    def extend(self, other: "Columns") -> None:
        """Append the rows of other columns."""
        self.q.extend(other.q)
        self.p.extend(other.p)
        self.g.extend(other.g)
        for name, column in self.aux.items():
            column.extend(other.aux[name])

    def rows(self, start: int, stop: int) -> "Columns":
        """Return the rows from `start` up to `stop`."""
        cut = slice(start, stop)
        aux = {name: column[cut] for name, column in self.aux.items()}
        return Columns(self.q[cut], self.p[cut], self.g[cut], aux)

    def pieces(self, row: int) -> Iterator["Columns"]:
        """Yield one row in pieces of `TILE` elements, or whole if it is not contiguous."""
        whole = self.rows(row, row + 1)
        if not all(column[0].is_contiguous() for column in whole.lists()):
            yield whole
            return
        cut = [_split(column) for column in (whole.q, whole.p, whole.g)]
        aux = {name: _split(column) for name, column in whole.aux.items()}
        for k, q in enumerate(cut[0]):
            p = [cut[1][k]] if cut[1] else []
            yield Columns([q], p, [cut[2][k]], {name: [part[k]] for name, part in aux.items()})

    def tiles(self, whole: int = WHOLE) -> Iterator["Columns"]:
        """Yield pieces that together are all rows, in order; so few elements are not cut."""
        if sum(tensor.numel() for tensor in self.q) <= whole:
            yield self
            return
        start = filled = 0
        for row, tensor in enumerate(self.q):
            size = tensor.numel()
            if filled + size > TILE and row > start:
                yield self.rows(start, row)
                start, filled = row, 0
            if size > TILE:
                yield from self.pieces(row)
                start = row + 1
            else:
                filled += size
        if start < len(self.q):
            yield self.rows(start, len(self.q))

    def with_walker(self) -> "Columns":
        """Return views with a walker axis of length 1 in front."""
        aux = {name: [t.unsqueeze(0) for t in column] for name, column in self.aux.items()}
        q, p, g = ([t.unsqueeze(0) for t in column] for column in (self.q, self.p, self.g))
        return Columns(q, p, g, aux)


def _split(column: list[Tensor]) -> list[Tensor]:
    return list(column[0].view(-1).split(TILE)) if column else []
