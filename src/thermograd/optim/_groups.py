"""Parameter groups from what users hand over: models, partitions, groups."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import escape
from typing import Any, TypeAlias, cast

from torch import Tensor, nn

from .._checks import one_of
from .._errors import ParameterError
from ..arrangements import in_two
from ..geometry import Constraints, Manifold, Orthogonal, Where, constrain
from ..integrators import resolve, scalars_of
from ..partitions import Partition
from ..partitions.base import layer_of
from ._adapter import Group, ParamsT

ModelOrGroups: TypeAlias = nn.Module | Iterable[dict[str, Any]]
Rules: TypeAlias = Manifold | Mapping[Where, Manifold] | Constraints


def as_groups(params: ParamsT | nn.Module) -> list[Group]:
    """Return groups of parameters; a model is one group."""
    if isinstance(params, nn.Module):
        return [{"params": list(params.named_parameters())}]
    entries = list(params)
    if entries and isinstance(entries[0], dict):
        return [dict(cast(Group, entry)) for entry in entries]
    return [{"params": entries}]


def two_parts(
    params: ModelOrGroups, partition: Partition | None, settings: Mapping[str, Any], owner: str
) -> list[Group]:
    """Return the groups of a two-part method; the second part has settings of its own.

    Raises:
        ParameterError: if a partition has another number of parts than two, or comes with groups.
    """
    if not isinstance(params, nn.Module):
        if partition is not None:
            raise ParameterError(f"{owner} takes a partition of a model, not of groups")
        entries: list[object] = list(params)
        if not entries or not all(isinstance(entry, dict) for entry in entries):
            raise ParameterError(
                f"{owner} needs a model, or groups: parameters alone do not say which is hidden"
            )
        return as_groups(cast(list[Group], entries))
    parts = in_two(params, partition, owner).split(params)
    first, second = (
        {"params": list(named.items()), "label": label} for label, named in parts.items()
    )
    return [first, {**second, **settings}]


def thermostat_each(groups: Iterable[Group], unit: str, word: Any, owner: str) -> list[Group]:
    """Cut the groups that have a thermostat into one for each layer or tensor, if asked to."""
    one_of(unit, ("part", "layer", "tensor"), "thermostat_per", owner)
    if unit == "part":
        return list(groups)
    result: list[Group] = []
    for group in groups:
        has_thermostat = "xi" in scalars_of(resolve(group.get("word", word)))
        result.extend(_cut(group, unit, owner) if has_thermostat else [group])
    return result


def _cut(group: Group, unit: str, owner: str) -> Iterator[Group]:
    params = group["params"]
    rows: list[Any] = [params] if isinstance(params, Tensor) else list(params)
    units: dict[object, list[Any]] = {}
    for number, row in enumerate(rows):
        if unit == "layer" and not isinstance(row, tuple):
            raise ParameterError(
                f"{owner} cannot tell the layers of parameters without names; "
                "pass a model or its named_parameters()"
            )
        units.setdefault(layer_of(row[0]) if unit == "layer" else number, []).append(row)
    for members in units.values():
        yield {**group, "params": members}


def constrained(model: nn.Module, rules: Rules, *, strict: bool, owner: str) -> list[Group]:
    """Return groups of the parameters of a model, each on its manifold.

    Raises:
        ParameterError: for rules of another model.
    """
    if isinstance(rules, Mapping):
        found = Constraints(model, ())
        for where, geometry in rules.items():
            found = constrain(found, geometry, where, strict=strict)
    elif isinstance(rules, Constraints):
        found = rules
        if found.model is not model:
            raise ParameterError(f"{owner} was given constraints of another model")
    else:
        found = constrain(model, rules, strict=strict)
    return list(found.groups())


def bounded(radius: float | Mapping[Where, float], make: Callable[[float], Manifold]) -> Rules:
    """Return rules from radii, by pattern or type of layer."""
    if isinstance(radius, Mapping):
        return {where: make(r) for where, r in radius.items()}
    return make(radius)


def orthogonal(model: nn.Module, where: Sequence[Where], *, strict: bool) -> Constraints:
    """Constrain what is chosen, or every matrix and convolution with two rows and columns."""
    if where:
        return constrain(model, Orthogonal(), *where, strict=strict)
    able = [
        name
        for name, q in model.named_parameters()
        if q.dim() > 1 and min(q.shape[0], q[0].numel()) > 1 and not name.endswith("bias")
    ]
    if not able:
        raise ParameterError("the model has no weight with two rows and two columns")
    return constrain(model, Orthogonal(), *(escape(name) for name in able), strict=strict)
