"""Flat space: no constraint.

drift             q ← q + dt p / m
project_tangent   nothing
retract           nothing
residual          0
degrees           every coordinate
"""

from dataclasses import dataclass

from torch import Tensor

from .._foreach import add_
from ..state import Params, Part
from ._base import Example


@dataclass(frozen=True, slots=True)
class Flat:
    """The whole of ℝᵈ."""

    @property
    def is_flat(self) -> bool:
        """No curvature."""
        return True

    @property
    def drift_projects(self) -> bool:
        """There is nothing to project."""
        return True

    @property
    def is_joint(self) -> bool:
        """Nothing couples its tensors."""
        return False

    def drift(self, part: Part, dt: float) -> None:
        add_(part.q, part.p, dt / part.mass)

    def project_tangent(self, part: Part) -> None:
        pass

    def retract(self, part: Part, old: Params) -> None:
        pass

    def residual(self, part: Part) -> Tensor:
        return part.q[0].new_zeros(part.q[0].shape[0])

    def degrees_of_freedom(self, part: Part, num_walkers: int) -> int:
        return sum(p.numel() for p in part.p) // num_walkers

    def check(self, q: Params, owner: str) -> None:
        pass

    def distance(self, q: Params) -> Tensor:
        return q[0].new_zeros(q[0].shape[0])

    def settle(self, q: Params) -> None:
        pass


GEOMETRY = Example(Flat(), shapes=((3, 2), (4,)))
