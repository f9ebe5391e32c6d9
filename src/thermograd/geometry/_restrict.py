"""Some of the tensors on a manifold, seen alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from .._errors import ParameterError
from ._base import Hidden, Manifold
from .flat import Flat
from .product import Product

__all__ = ["Piece", "own_coordinates", "restrict", "units"]


@dataclass(frozen=True, slots=True)
class Piece:
    """What some of the tensors are.

    Attributes:
        geometry: their manifold.
        coordinates: which of the coordinates that are moved are theirs.
    """

    geometry: Manifold
    coordinates: tuple[int, ...]


def restrict(geometry: Manifold, names: Sequence[str], chosen: Sequence[int]) -> Piece:
    """Return the manifold of chosen tensors, with their places among the coordinates.

    Args:
        geometry: the manifold of all tensors.
        names: of all tensors.
        chosen: places of tensors among them, in order.

    Raises:
        ParameterError: if one constraint couples a chosen tensor with another that is not.
    """
    if isinstance(geometry, Flat):
        return Piece(geometry, tuple(chosen))
    factors: list[tuple[Manifold, int]] = []
    coordinates: list[int] = []
    first, begin = 0, 0
    for factor, count in _factors(geometry, len(names)):
        own = [place - first for place in chosen if first <= place < first + count]
        beside = _has_slack(factor)
        if own and factor.is_joint and len(own) < count:
            coupled = ", ".join(names[first : first + count])
            raise ParameterError(
                f"one constraint, {factor}, couples {coupled}: they must be in one part"
            )
        if own:
            factors.append((factor, len(own)))
            coordinates += [begin + k for k in own]
            coordinates += [begin + count + k for k in own] if beside else []
        first += count
        begin += 2 * count if beside else count
    if all(isinstance(factor, Flat) for factor, _ in factors):
        return Piece(Flat(), tuple(coordinates))
    return Piece(Product(tuple(factors)), tuple(coordinates))


def own_coordinates(geometry: Manifold, num: int) -> list[int]:
    """Return the place of each tensor among the coordinates, slack variables left out.

    Args:
        geometry: the manifold of all tensors.
        num: how many there are.
    """
    found: list[int] = []
    begin = 0
    for factor, count in _factors(geometry, num):
        found += range(begin, begin + count)
        begin += 2 * count if _has_slack(factor) else count
    return found


def units(geometry: Manifold, num: int) -> list[list[int]]:
    """Return the smallest sets of tensors that no constraint couples with others.

    Args:
        geometry: the manifold of all tensors.
        num: how many there are.
    """
    found: list[list[int]] = []
    first = 0
    for factor, count in _factors(geometry, num):
        places = list(range(first, first + count))
        found += [places] if factor.is_joint else [[place] for place in places]
        first += count
    return found


def _factors(geometry: Manifold, num: int) -> tuple[tuple[Manifold, int], ...]:
    return geometry.factors if isinstance(geometry, Product) else ((geometry, num),)


def _has_slack(factor: Manifold) -> bool:
    return isinstance(factor, Hidden) and bool(factor.hidden) and not factor.is_chart
