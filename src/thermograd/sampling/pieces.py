"""The parts of a run, and the tensors in them that no constraint couples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..arrangements import Arranged
from ..geometry import Manifold, restrict, units
from ..splitting import Word
from ..state import Part

__all__ = ["Piece", "pieces", "tensors_of"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Tensors of a run that have one temperature, friction and mass.

    Attributes:
        label: of the part; empty where a run has one method for all.
        names: of the positions.
        coordinates: their places among the coordinates that the run moves.
        part: the tensors, the run's own.
        geometry: their manifold.
        is_thermal: whether their method has a temperature at all.
    """

    label: str
    names: tuple[str, ...]
    coordinates: tuple[int, ...]
    part: Part
    geometry: Manifold
    is_thermal: bool

    @property
    def is_hot(self) -> bool:
        """Whether they are to have a temperature above 0."""
        return self.is_thermal and not self.part.is_cold

    @property
    def degrees_of_freedom(self) -> int:
        """The number of independent momenta of a walker."""
        return self.geometry.degrees_of_freedom(self.part, self.part.q[0].shape[0])


def pieces(
    part: Part, method: Arranged | None, names: Sequence[str], geometry: Manifold
) -> list[Piece]:
    """Return the parts of a run.

    Args:
        part: the state.
        method: of the run, where it has several parts.
        names: of the positions.
        geometry: the manifold of all positions.
    """
    if method is None:
        whole = tuple(range(len(part.q)))
        return [Piece("", tuple(names), whole, part, geometry, True)]
    return [
        Piece(
            share.label,
            share.names,
            share.coordinates,
            share.of(part),
            share.geometry,
            isinstance(share.method, Word) or share.method.claims.dynamics == "overdamped",
        )
        for share in method.shares
    ]


def tensors_of(piece: Piece) -> Iterator[Piece]:
    """Yield the tensors of a piece, each by itself where no constraint couples it."""
    for places in units(piece.geometry, len(piece.names)):
        found = restrict(piece.geometry, piece.names, places)
        names = tuple(piece.names[place] for place in places)
        moved = tuple(piece.coordinates[place] for place in found.coordinates)
        part, moving = piece.part, found.coordinates
        own = replace(
            part,
            q=[part.q[place] for place in moving],
            p=[part.p[place] for place in moving] if part.p else [],
            geometry=found.geometry,
        )
        yield replace(piece, names=names, coordinates=moved, part=own, geometry=found.geometry)
