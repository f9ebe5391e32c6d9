"""Arrangements and geometries as tables of run.toml, and back.

What cannot be written down stands there as a name in angle brackets.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

from .. import geometry
from .._errors import StateError
from ..arrangements import Arrangement, PartMethod
from ..geometry import Manifold
from ..partitions import Partition
from ..thermostat import Thermostat
from .constraints import Rule

__all__ = ["arrangement_of", "arrangement_table", "rules_of", "rules_table", "temperatures_in"]

Table = Mapping[str, Any]


def arrangement_table(arrangement: Arrangement) -> dict[str, object]:
    """Return an arrangement as a table."""
    methods: dict[str, object] = {}
    for label, spec in arrangement.specs():
        word = spec.word if isinstance(spec.word, str) else f"<{type(spec.word).__name__}>"
        table: dict[str, object] = {"word": word, "thermostat_per": spec.thermostat_per}
        for name in ("friction", "temperature", "mass"):
            if (value := getattr(spec, name)) is not None:
                table[name] = value
        if spec.thermostat is not None:
            table["thermostat"] = dataclasses.asdict(spec.thermostat)
        methods[label] = table
    return {"labels": dict(arrangement.partition.labels), "methods": methods}


def arrangement_of(table: Table) -> Arrangement:
    """Return the arrangement that a table holds.

    Raises:
        StateError: if a method in it is the user's own.
    """
    methods: dict[str, PartMethod | str] = {}
    for label, entry in table["methods"].items():
        options = dict(entry)
        word = str(options.pop("word"))
        if word.startswith("<"):
            raise StateError(
                f"the method of the part {label!r} is your own, {word}: pass the arrangement as "
                "`method`"
            )
        if "thermostat" in options:
            options["thermostat"] = Thermostat(**options["thermostat"])
        methods[label] = PartMethod(word, **options)
    return Arrangement(Partition(table["labels"]), methods)


def temperatures_in(table: Table, temperature: float) -> dict[str, float]:
    """Return the temperature of each part of a table, by the name under which it is recorded.

    Args:
        table: of an arrangement.
        temperature: of the run, for parts without one of their own.
    """
    return {
        f"{label}.kinetic_temperature": float(entry.get("temperature", temperature))
        for label, entry in table["methods"].items()
    }


def rules_table(rules: Sequence[Rule]) -> list[dict[str, object]]:
    """Return manifolds with the names of their positions as tables."""
    return [{**_manifold_table(manifold), "on": list(names)} for manifold, names in rules]


def rules_of(tables: Sequence[Table]) -> tuple[Rule, ...]:
    """Return the manifolds that tables hold; one of the user's own is refused."""
    return tuple((_manifold(table), tuple(table["on"])) for table in tables)


def _manifold_table(manifold: Manifold) -> dict[str, object]:
    kind = type(manifold).__name__
    names = (
        [field.name for field in dataclasses.fields(cast(Any, manifold))]
        if (dataclasses.is_dataclass(manifold))
        else []
    )
    values = {name: getattr(manifold, name) for name in names}
    is_plain = all(isinstance(value, (bool, int, float, str)) for value in values.values())
    if not is_plain or getattr(geometry, kind, None) is not type(manifold):
        return {"kind": f"<{kind}>"}
    return {"kind": kind, **values}


def _manifold(table: Table) -> Manifold:
    kind = str(table["kind"])
    if kind.startswith("<"):
        raise StateError(
            f"the run's geometry is one of your own, {kind}: pass it as `geometry` to continue"
        )
    options = {name: value for name, value in table.items() if name not in {"kind", "on"}}
    return getattr(geometry, kind)(**options)
