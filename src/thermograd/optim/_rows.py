"""Runs a step on many constrained tensors as on a few matrices of rows.

Where each row of a tensor is constrained by itself (`Rowwise`), rows of equal length may be moved
together, whatever tensors they come from. Long tensors are cut into tiles of rows that fit in the
cache. Small ones are put together: what an optimizer keeps for them (momenta, arcs, slack) lies
side by side in memory, and the state of each parameter is a view of it.
"""
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any

import torch
from torch import Tensor
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors

from .._foreach import copy_, is_packed
from ..geometry import Chart, Hidden, Manifold, Rowwise
from ..integrators import CutIntegrator
from ..state import Part
from ._tiles import Columns

TILE = 1 << 17  # elements: positions, momenta, noise and scratch of a tile stay in the cache

State = dict[str, Any]


@dataclass(slots=True)
class Block:
    """Rows of equal length, of one tensor or of several small ones.

    Attributes:
        members: which parameters.
        width: the length of a row.
        kept: what the optimizer keeps for them, by name, each flat.
    """

    members: list[int]
    width: int
    kept: dict[str, Tensor] = field(default_factory=dict[str, Tensor])


class Rows:
    """The blocks of a group; made anew when the state they hold was replaced.

    Args:
        geometry: the manifold of the group.
        has_momenta: whether its method has them.
    """

    def __init__(self, geometry: Rowwise, has_momenta: bool) -> None:
        self.geometry = geometry
        self.each = geometry.of_rows()
        hidden = geometry if isinstance(geometry, Hidden) and geometry.hidden else None
        self._chart = _chart_of(geometry)
        self._slack = hidden.hidden if hidden is not None and not hidden.is_chart else ""
        self._names = ("momenta",) if has_momenta else ()
        if hidden is not None:
            self._names += (hidden.hidden,)
        if self._slack and has_momenta:
            self._names += (f"{self._slack}_momenta",)
        self._params: list[Tensor] = []
        self._kept: list[Tensor] = []
        self._blocks: list[Block] = []

    def tiles(self, columns: Columns, states: Sequence[State], part: Part) -> Iterator[None]:
        """Put tile after tile into `part`, to be moved, and write the parameters after each."""
        move = self._arcs if self._chart is not None else self._matrices
        for block in self._up_to_date(columns.q, states):
            params = [columns.q[k] for k in block.members]
            q, g = _flat(params), _flat([columns.g[k] for k in block.members])
            yield from move(block, q, g, part)
            if len(params) > 1:
                copy_(params, _unflatten_dense_tensors(q, params))
            elif not params[0].is_contiguous():
                params[0].copy_(q.view(params[0].shape))

    def _arcs(self, block: Block, q: Tensor, g: Tensor, part: Part) -> Iterator[None]:
        assert self._chart is not None
        arcs, momenta = block.kept[self._chart.hidden], block.kept.get("momenta")
        force = torch.empty_like(arcs[:TILE])
        for start in range(0, q.numel(), TILE):
            cut = slice(start, start + TILE)
            part.q, part.p = [arcs[cut]], [] if momenta is None else [momenta[cut]]
            room = [force[: part.q[0].numel()]]
            part.force.tensors = self._chart.pull_back(part.q, [g[cut]], out=room)
            part.is_packed = is_packed(part.q, part.p)
            yield
            if q.dtype is arcs.dtype:
                self._chart.positions(part.q, out=[q[cut]])
            else:
                q[cut] = self._chart.positions(part.q, out=room)[0]

    def _matrices(self, block: Block, q: Tensor, g: Tensor, part: Part) -> Iterator[None]:
        width = block.width
        shapes = {"": width, "momenta": width}  # of what else there is, a row is one number
        rows = {"": q, **block.kept}
        views = {name: x.view(1, -1, shapes.get(name, 1)) for name, x in rows.items()}
        force, high = g.view(1, -1, width), max(1, TILE // width)
        for start in range(0, force.shape[1], high):
            cut = slice(start, start + high)
            tile = {name: view[:, cut] for name, view in views.items()}
            part.q, part.force.tensors = [tile[""]], [force[:, cut]]
            part.p = [tile["momenta"]] if "momenta" in tile else []
            if self._slack:
                part.q.append(tile[self._slack])
                part.force.tensors.append(torch.zeros_like(tile[self._slack]))
                part.p += [tile[name] for name in (f"{self._slack}_momenta",) if name in tile]
            yield

    def _up_to_date(self, params: list[Tensor], states: Sequence[State]) -> list[Block]:
        kept = [state[name] for state in states for name in self._names]
        if not (_same(kept, self._kept) and _same(params, self._params)):
            self._blocks = list(self._pack(params, states))
            self._params = params
            self._kept = [state[name] for state in states for name in self._names]
        return self._blocks

    def _pack(self, params: list[Tensor], states: Sequence[State]) -> Iterator[Block]:
        waiting: dict[int, tuple[Block, int]] = {}
        for number, param in enumerate(params):
            width, size = self.geometry.row_length(param.shape), param.numel()
            block, filled = waiting.get(width, (Block([], width), 0))
            if block.members and filled + size > TILE:
                yield self._filled(block, states)
                block, filled = Block([], width), 0
            block.members.append(number)
            waiting[width] = (block, filled + size)
        for block, _ in waiting.values():
            yield self._filled(block, states)

    def _filled(self, block: Block, states: Sequence[State]) -> Block:
        """Lay the state of a block's parameters side by side."""
        for name in self._names:
            views = [states[k][name] for k in block.members]
            flat = block.kept[name] = _flat(views)
            if len(views) > 1 or not views[0].is_contiguous():
                for k, view in zip(
                    block.members, _unflatten_dense_tensors(flat, views), strict=True
                ):
                    states[k][name] = view
        return block


def rows_of(geometry: Manifold, method: CutIntegrator, params: Sequence[Tensor]) -> Rows | None:
    """Return the rows of a group, if its manifold and its method know nothing wider than a row."""
    if not isinstance(geometry, Rowwise) or not method.is_elementwise or method.auxiliaries:
        return None
    if any(geometry.row_length(q.shape) == 0 for q in params):
        return None
    return Rows(geometry, method.has_momenta)


def _chart_of(geometry: object) -> Chart | None:
    return geometry if isinstance(geometry, Chart) and geometry.is_chart else None


def _flat(tensors: Sequence[Tensor]) -> Tensor:
    """Return one flat tensor: a view of a single contiguous one, else a copy."""
    if len(tensors) == 1:
        return tensors[0].reshape(-1)
    return _flatten_dense_tensors(tensors)


def _same(xs: Sequence[object], ys: Sequence[object]) -> bool:
    return len(xs) == len(ys) and all(map(is_, xs, ys))
