"""What the optimizers keep for parameters that live on a manifold.

For a chart (`Circle`) the state of a parameter holds the coordinate that stands for it; for slack
variables, the slack beside it with momenta and auxiliaries of its own. The flows move a row of
such columns; afterwards a chart's parameters are written from it.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .._checks import one_of, require
from .._errors import EvaluationError, ParameterError
from .._foreach import copy_, decay_add_
from ..geometry import Flat, Hidden, Manifold, Product, settle_start
from ..integrators import CutIntegrator
from ..noise import NoiseSource
from ..state import Force, Part
from ._tiles import Columns

State = dict[str, Any]
MOMENTA = ("zero", "tangent_gaussian", "gradient")


def hidden_of(geometry: Manifold) -> Hidden | None:
    """Return the geometry if it hides coordinates, else None."""
    return geometry if isinstance(geometry, Hidden) and geometry.hidden else None


def check_manifold(group: State, geometry: object, rows: Sequence[Any], owner: str) -> Manifold:
    """Refuse what cannot be the geometry of a group of parameters, and return it.

    Raises:
        ParameterError: if there is something to refuse.
    """
    one_of(group["initial_momenta"], MOMENTA, "initial_momenta", owner)
    if geometry is None:
        return Flat()
    ok = isinstance(geometry, Manifold)
    require(ok, "geometry", owner, "a manifold of thermograd.geometry", geometry)
    if isinstance(geometry, Product):
        raise ParameterError(f"{owner} has a product for geometry; give each factor its own group")
    assert isinstance(geometry, Manifold)
    for number, row in enumerate(rows):
        name, tensor = row if isinstance(row, tuple) else (f"parameter {number}", row)
        if not isinstance(geometry, Flat) and not tensor.requires_grad:
            raise ParameterError(f"{name} of {owner} is frozen: it would never move on {geometry}")
    return geometry


def settle(geometry: Manifold, rows: Sequence[Any], owner: str, strict: bool) -> None:
    """Put the parameters of a group on its manifold."""
    if isinstance(geometry, Flat):
        return
    names = [
        row[0] if isinstance(row, tuple) else f"parameter {number}"
        for number, row in enumerate(rows)
    ]
    tensors: list[Tensor] = [row[1] if isinstance(row, tuple) else row for row in rows]
    with torch.no_grad():
        views = [tensor.unsqueeze(0) for tensor in tensors]
        settle_start(geometry, views, names, owner, strict=strict)


def begin_hidden(
    state: State, param: Tensor, geometry: Manifold, method: CutIntegrator, dtype: torch.dtype
) -> None:
    """Make the hidden coordinates of a parameter, and what the method carries for them."""
    hidden = hidden_of(geometry)
    if hidden is None:
        return
    (start,) = hidden.begin([param.unsqueeze(0)])
    state[hidden.hidden] = start.squeeze(0).to(dtype)
    if not hidden.is_chart:
        names = (*(("momenta",) if method.has_momenta else ()), *method.auxiliaries)
        for name in names:
            state[f"{hidden.hidden}_{name}"] = torch.zeros_like(state[hidden.hidden])


def coordinates(columns: Columns, states: Sequence[State], geometry: Hidden) -> Columns:
    """Return the columns of what the flows move, for columns of parameters."""
    name = geometry.hidden
    own = [state[name] for state in states]
    if geometry.is_chart:
        return Columns(own, columns.p, geometry.pull_back(own, columns.g), columns.aux)
    q = [*columns.q, *own]
    p = [*columns.p, *(state[f"{name}_momenta"] for state in states)] if columns.p else []
    aux = {
        key: [*column, *(state[f"{name}_{key}"] for state in states)]
        for key, column in columns.aux.items()
    }
    return Columns(q, p, geometry.pull_back(q, columns.g), aux)


def check_joint(found: int, wanted: int, owner: str) -> None:
    """Refuse a step in which only some tensors of one joint constraint have gradients.

    Raises:
        EvaluationError: if it is one.
    """
    if found != wanted:
        raise EvaluationError(
            f"{owner} has one constraint for {wanted} tensors, of which {found} have gradients; "
            "they can only move together"
        )


def write_back(columns: Columns, moved: Columns, geometry: Hidden) -> None:
    """Write the parameters from the coordinate that stands for them."""
    if geometry.is_chart:
        copy_(columns.q, geometry.positions(moved.q))


def first_momenta(part: Part, kind: str, noise: NoiseSource) -> None:
    """Set the momenta before the first step; where they are not at rest, make them tangent."""
    if kind == "zero" or not part.p:
        return
    if kind == "gradient":
        decay_add_(part.p, part.force.tensors, 0.0, part.force.scale)
    elif part.temperature > 0:
        size = math.sqrt(part.mass * part.temperature)
        decay_add_(part.p, noise.normal(part.p), 0.0, size)
    part.geometry.project_tangent(part)


def degrees_of(columns: Columns, geometry: Manifold) -> int:
    """Count the independent momenta of columns with a walker axis."""
    if not columns.p:
        return 0
    part = Part(columns.q, columns.p, Force([]), geometry)
    return geometry.degrees_of_freedom(part, 1)
