"""Products: each run of tensors of a part on a manifold of its own.

drift, project_tangent, retract   each factor's
residual                          the largest
degrees                           the sum
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .._checks import require
from ..state import Params, Part
from ._base import Example, Hidden, Manifold, begin, positions
from .circle import Circle
from .flat import Flat
from .sphere import Sphere


@dataclass(frozen=True, slots=True)
class Product:
    """M₁ × M₂ × ...: the first n₁ tensors on M₁, the next n₂ on M₂, and so on.

    Attributes:
        factors: manifolds, each with its number of tensors.
    """

    factors: tuple[tuple[Manifold, int], ...]

    def __post_init__(self) -> None:
        ok = bool(self.factors) and all(count > 0 for _, count in self.factors)
        require(ok, "factors", "Product", "manifolds with a number of tensors each", self.factors)

    @classmethod
    def of(cls, factors: Sequence[Manifold]) -> "Product":
        """Return the product that gives each tensor a manifold."""
        return cls(tuple((factor, 1) for factor in factors))

    @property
    def is_flat(self) -> bool:
        """Whether every factor is flat."""
        return all(factor.is_flat for factor, _ in self.factors)

    @property
    def drift_projects(self) -> bool:
        """Whether the drift of every factor does."""
        return all(factor.drift_projects for factor, _ in self.factors)

    @property
    def is_joint(self) -> bool:
        """The factors must be seen together."""
        return True

    @property
    def hidden(self) -> str:
        """The coordinates of all factors."""
        return "coordinates"

    @property
    def is_chart(self) -> bool:
        """They stand for the positions."""
        return True

    def drift(self, part: Part, dt: float) -> None:
        for factor, piece in self._pieces(part):
            factor.drift(piece, dt)

    def project_tangent(self, part: Part) -> None:
        for factor, piece in self._pieces(part):
            factor.project_tangent(piece)

    def retract(self, part: Part, old: Params) -> None:
        start = 0
        for factor, piece in self._pieces(part):
            stop = start + len(piece.q)
            factor.retract(piece, old[start:stop])
            start = stop

    def residual(self, part: Part) -> Tensor:
        return torch.stack([f.residual(piece) for f, piece in self._pieces(part)]).amax(0)

    def degrees_of_freedom(self, part: Part, num_walkers: int) -> int:
        return sum(f.degrees_of_freedom(piece, num_walkers) for f, piece in self._pieces(part))

    def check(self, q: Params, owner: str) -> None:
        need = sum(count for _, count in self.factors)
        require(len(q) == need, "tensors", owner, f"{need} in number, as the factors", len(q))
        for factor, run in self._runs(q):
            factor.check(run, owner)

    def distance(self, q: Params) -> Tensor:
        return torch.stack([factor.distance(run) for factor, run in self._runs(q)]).amax(0)

    def settle(self, q: Params) -> None:
        for factor, run in self._runs(q):
            factor.settle(run)

    def begin(self, q: Params) -> Params:
        return [tensor for factor, run in self._runs(q) for tensor in begin(factor, run)]

    def positions(self, x: Params) -> Params:
        return [q for factor, run in self._coordinates(x) for q in positions(factor, run)]

    def pull_back(self, x: Params, f: Params) -> Params:
        forces: Params = []
        pairs = zip(self._coordinates(x), self._runs(f), strict=True)
        for (factor, coordinates), (_, force) in pairs:
            is_hidden = isinstance(factor, Hidden)
            forces += factor.pull_back(coordinates, force) if is_hidden else force
        return forces

    def _runs(self, q: Params) -> Iterator[tuple[Manifold, Params]]:
        start = 0
        for factor, count in self.factors:
            yield factor, q[start : start + count]
            start += count

    def _coordinates(self, x: Params) -> Iterator[tuple[Manifold, Params]]:
        start = 0
        for factor, count in self.factors:
            beside = isinstance(factor, Hidden) and bool(factor.hidden) and not factor.is_chart
            stop = start + (2 * count if beside else count)
            yield factor, x[start:stop]
            start = stop

    def _pieces(self, part: Part) -> Iterator[tuple[Manifold, Part]]:
        momenta = self._coordinates(part.p)
        for (factor, q), (_, p) in zip(self._coordinates(part.q), momenta, strict=True):
            yield factor, replace(part, q=q, p=p)


GEOMETRY = Example(Product.of((Sphere(1.3), Circle(2.1), Flat())), shapes=((3, 4), (2, 2), (5,)))
