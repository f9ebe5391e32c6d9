"""What a manifold can do beside the verbs of a step: refuse tensors, settle a start, hide state.

Some manifolds are moved along in other coordinates x than the positions q that the potential
sees: slack variables stand beside q, or an arc length stands for it. They are `Hidden`. For these
a part's `q` holds x; `positions` turns it into what the potential sees.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from .._errors import ParameterError, TensorError
from ..state import Geometry, Params

__all__ = [
    "Chart",
    "Example",
    "Hidden",
    "Manifold",
    "Rowwise",
    "begin",
    "positions",
    "settle_start",
]

_HALF = (torch.bfloat16, torch.float16)


@runtime_checkable
class Manifold(Geometry, Protocol):
    """A manifold that tensors can be put on."""

    @property
    def is_joint(self) -> bool:
        """Whether one constraint couples several tensors."""
        ...

    def check(self, q: Params, owner: str) -> None:
        """Refuse tensors, each (W, ...), of shapes or values that cannot lie on it."""
        ...

    def distance(self, q: Params) -> Tensor:
        """Return how far positions are from being allowed, relative, shape (W,)."""
        ...

    def settle(self, q: Params) -> None:
        """Bring positions to allowed ones near by, in place."""
        ...


@runtime_checkable
class Hidden(Manifold, Protocol):
    """A manifold moved along in other coordinates than the positions.

    Attributes:
        hidden: the name of what an optimizer keeps for each parameter.
        is_chart: whether that stands for the positions; else it stands beside them.
    """

    @property
    def hidden(self) -> str: ...

    @property
    def is_chart(self) -> bool: ...

    def begin(self, q: Params) -> Params:
        """Return what is hidden, one tensor for each of the allowed positions `q`."""
        ...

    def positions(self, x: Params) -> Params:
        """Return the positions at the coordinates `x`."""
        ...

    def pull_back(self, x: Params, f: Params) -> Params:
        """Return the force in the coordinates, from the force at the positions."""
        ...


@runtime_checkable
class Rowwise(Manifold, Protocol):
    """A manifold that constrains each row of a tensor by itself, if the tensor is seen as a matrix.

    Rows of equal length of several tensors may then be moved together.
    """

    def row_length(self, shape: tuple[int, ...]) -> int:
        """Return the length of a row of a tensor, without walkers; 0 if it is no such matrix."""
        ...

    def of_rows(self) -> Manifold:
        """Return the manifold of matrices (W, rows, length)."""
        ...


@runtime_checkable
class Chart(Hidden, Rowwise, Protocol):
    """A manifold of one number each, seen through a chart, that can write where it is told to."""

    def positions(self, x: Params, out: Params | None = None) -> Params:
        """Return the positions at the coordinates `x`, in `out` if given."""
        ...

    def pull_back(self, x: Params, f: Params, out: Params | None = None) -> Params:
        """Return the force in the coordinates, in `out` if given."""
        ...


@dataclass(frozen=True, slots=True)
class Example:
    """A geometry, and shapes of tensors that its contracts are tried on.

    Attributes:
        geometry: the manifold.
        shapes: of one walker's tensors.
    """

    geometry: Manifold
    shapes: tuple[tuple[int, ...], ...]


def begin(geometry: Geometry, q: Params) -> Params:
    """Return the coordinates that a part moves, at allowed positions `q`."""
    if not isinstance(geometry, Hidden):
        return list(q)
    hidden = geometry.begin(q)
    return hidden if geometry.is_chart else [*q, *hidden]


def positions(geometry: Geometry, x: Params) -> Params:
    """Return the positions at the coordinates that a part moves."""
    return geometry.positions(x) if isinstance(geometry, Hidden) else x


def settle_start(
    geometry: Manifold, q: Params, names: Sequence[str], owner: str, *, strict: bool
) -> None:
    """Put a start on the manifold, with a notice if it was not there.

    Args:
        geometry: the manifold.
        q: positions, each (W, ...), changed in place.
        names: what to call them.
        owner: who asks, in messages.
        strict: whether to refuse a start that is off the manifold.

    Raises:
        ParameterError: for a tensor that cannot lie there, or that does not if `strict`.
        TensorError: for half precision that cannot hold the constraint.
    """
    units = [q] if geometry.is_joint else [[tensor] for tensor in q]
    titles = [", ".join(names)] if geometry.is_joint else list(names)
    for unit, title in zip(units, titles, strict=True):
        half = any(tensor.dtype in _HALF for tensor in unit)
        if half and not (isinstance(geometry, Hidden) and geometry.is_chart):
            raise TensorError(
                f"{title} of {owner} is in half precision, which cannot hold the constraint; "
                "keep it in float32 and let autocast make the copies"
            )
        geometry.check(unit, f"{title} of {owner}")
        off = float(geometry.distance(unit).max())
        if not math.isfinite(off):
            raise ParameterError(f"{title} of {owner} is not finite; no manifold has such a point")
        if off > 100 * torch.finfo(unit[0].dtype).eps:
            _complain(title, owner, off, geometry, strict)
        geometry.settle(unit)


def _complain(title: str, owner: str, off: float, geometry: Manifold, strict: bool) -> None:
    said = f"{title} of {owner} starts off the manifold {geometry} (residual {off:.2g})"
    if strict:
        raise ParameterError(f"{said}; start on it, or let it be projected with strict=False")
    warnings.warn(f"{said} and was projected on it", stacklevel=6)
