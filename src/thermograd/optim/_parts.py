"""Parts, tiles and keys, for the optimizers."""

import math
from collections.abc import Iterable
from typing import Any, TypeVar

from torch import Tensor

from .._errors import EvaluationError
from .._foreach import is_packed
from ..geometry import Manifold
from ..integrators import CutIntegrator, Integrator, Update
from ..objectives.tethered import Tethered
from ..splitting import Word
from ..state import Env, Force, Part
from ._bad_input import thermostat_of
from ._tiles import TILE, Columns

Group = dict[str, Any]
_Entry = TypeVar("_Entry")


def enter(table: dict[str, _Entry], key: str, entry: _Entry) -> str:
    """Put an entry in a table under a key of its own, and return the key."""
    while key in table and table[key] != entry:
        key += "'"
    table[key] = entry
    return key


def part_of(columns: Columns, group: Group, scalars: dict[str, Tensor], geometry: Manifold) -> Part:
    """Return columns as a part with a group's settings."""
    friction, momentum = float(group["friction"]), None
    if group["momentum"] is not None:
        h, mu = float(group["lr"]), float(group["momentum"])
        momentum = mu
        friction = -math.log(mu) / h if h > 0 and mu > 0 else (math.inf if h > 0 else 0.0)
    return Part(
        q=columns.q,
        p=columns.p,
        force=Force(columns.g, scale=-1.0, is_fresh=True),
        geometry=geometry,
        friction=friction,
        temperature=float(group["temperature"]),
        mass=float(group["mass"]),
        thermostat=thermostat_of(group),
        aux=columns.aux,
        scalars=scalars,
        is_packed=is_packed(*columns.lists()),
        momentum=momentum,
        weight_decay=float(group.get("weight_decay", 0.0)),
    )


def tiles_of(columns: Columns, method: CutIntegrator, geometry: Manifold) -> Iterable[Columns]:
    """Return the pieces of columns that a method can be run on one after another."""
    if not geometry.is_flat:
        return (columns.with_walker(),)
    if method.is_elementwise:
        return columns.tiles(TILE) if isinstance(method, Tethered) else columns.tiles()
    return (columns.with_walker() if method.needs_axis else columns,)


def name_of(method: Integrator) -> str:
    """Name a method that was not given by name, the same in every process."""
    if isinstance(method, Word):
        return repr(method.stages)
    if isinstance(method, Update):
        return getattr(method.update, "__name__", repr(method.update))
    return type(method).__name__


def move(method: CutIntegrator, part: Part, pending: float | None, h: float, env: Env) -> None:
    """Finish the step that waits for this force, and begin the next."""
    part.force.is_fresh = True
    if pending is not None or not method.before_drifts:
        method.cycle(part, h if pending is None else pending, h, env)
        return
    if part.p:
        part.geometry.project_tangent(part)
    method.before(part, h, env)


def no_force(part: Part, component: str | None = None) -> None:
    """Refuse to evaluate a force.

    Raises:
        EvaluationError: always.
    """
    raise EvaluationError("an optimizer cannot evaluate a force; the method asked for a second one")
