"""Parameter groups from what users hand over: models, partitions, groups."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias, cast

from torch import Tensor, nn

from .._checks import one_of
from .._errors import ParameterError
from ..integrators import resolve, scalars_of
from ..partitions import Partition, last
from ..partitions.base import layer_of
from ._adapter import Group, ParamsT

ModelOrGroups: TypeAlias = nn.Module | Iterable[dict[str, Any]]


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
    parts = (partition if partition is not None else last(params)).split(params)
    if len(parts) != 2:
        raise ParameterError(
            f"{owner} has two parts; the partition has {len(parts)}: {', '.join(parts)}. "
            "Use Partitioned, or pass groups with a word each"
        )
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
