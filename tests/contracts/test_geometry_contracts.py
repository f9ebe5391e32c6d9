"""Contracts on geometries: all that ship pass, and planted faults are found."""

from typing import cast

import pytest

from thermograd._registry import GEOMETRIES
from thermograd.geometry import Example, Sphere
from thermograd.state import Params, Part
from thermograd.testing import verify_geometry


@pytest.mark.parametrize("name", GEOMETRIES.names())
def test_every_contract_of_a_geometry_holds(name: str) -> None:
    verdicts = verify_geometry(cast(Example, GEOMETRIES.get(name)), name)
    assert [verdict for verdict in verdicts if not verdict.ok] == []


class Sound(Sphere):
    """A sphere to spoil."""


class ForgetsMass(Sound):
    def drift(self, part: Part, dt: float) -> None:
        super().drift(part, dt * part.mass)


class DropsThePoint(Sound):
    def drift(self, part: Part, dt: float) -> None:
        super().drift(part, dt)
        part.q[0].mul_(1 + 1e-6)


class HeatsUp(Sound):
    def drift(self, part: Part, dt: float) -> None:
        super().drift(part, dt)
        part.p[0].mul_(1.001)


class ProjectsAskew(Sound):
    def project_tangent(self, part: Part) -> None:
        super().project_tangent(part)
        part.p[0][:, 0, 0].mul_(0.9)


class Miscounts(Sound):
    def degrees_of_freedom(self, part: Part, num_walkers: int) -> int:
        return super().degrees_of_freedom(part, num_walkers) + 1


class NeverComesBack(Sound):
    def retract(self, part: Part, old: Params) -> None:
        pass


@pytest.mark.parametrize(
    ("fault", "contract"),
    [
        (ForgetsMass, "order"),
        (DropsThePoint, "drift"),
        (HeatsUp, "reversibility"),
        (ProjectsAskew, "projection"),
        (Miscounts, "degrees"),
        (NeverComesBack, "retraction"),
    ],
)
def test_a_planted_fault_is_found(fault: type[Sphere], contract: str) -> None:
    verdicts = verify_geometry(Example(fault(1.3), shapes=((3, 4),)), fault.__name__)
    assert contract in {verdict.contract for verdict in verdicts if not verdict.ok}
