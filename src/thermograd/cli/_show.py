"""`thermograd show` and `thermograd cite`."""

import dataclasses
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import typer

from .._errors import ThermogradError
from ._console import print_json
from ._subject import Subject, subject


def print_method(name: str, as_json: bool) -> None:
    """Print docstring, stages, claims and limits."""
    found = subject(name)
    integrator: Any = found.integrator() if found.is_method else None
    claims = as_data(integrator.claims) if integrator is not None else {}
    stages = getattr(integrator, "stages", None)
    if as_json:
        print_json(
            {
                "name": found.name,
                "kind": found.kind,
                "doc": found.doc,
                "stages": as_data(stages),
                "claims": claims,
            }
        )
        return
    parts = [f"{found.name} ({found.kind})"]
    if found.doc:
        parts.append(found.doc)
    if stages is not None:
        parts.append(f"Stages, with shares of the step\n  {_spelled(stages)}")
    if integrator is not None:
        parts.append(_claims_in_words(claims, found))
    typer.echo("\n\n".join(parts))


def print_references(name: str) -> None:
    """Print the references a member's docstring names."""
    found = subject(name)
    references = references_of(found.doc)
    if not references:
        raise ThermogradError(f"the {found.kind} {found.name!r} names no references")
    typer.echo(references)


def references_of(doc: str) -> str:
    """Return the References section of a docstring, without its indent; "" if there is none."""
    _, _, rest = f"\n{doc}\n".partition("\nReferences:\n")
    lines: list[str] = []
    for line in rest.splitlines():
        if line and not line.startswith(" "):
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines)).strip()


def as_data(value: object) -> Any:
    """Turn claims and stages into what JSON can hold; functions are left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value) if field.init]
        pairs = {name: getattr(value, name) for name in fields}
        return {name: as_data(entry) for name, entry in pairs.items() if not callable(entry)}
    if isinstance(value, Mapping):
        entries = cast("Mapping[str | None, object]", value)
        return {"all" if key is None else str(key): as_data(entries[key]) for key in entries}
    if isinstance(value, frozenset | set):
        return sorted(str(entry) for entry in cast("Iterable[object]", value))
    if isinstance(value, list | tuple):
        return [as_data(entry) for entry in cast("Sequence[object]", value)]
    return value


def _claims_in_words(claims: Mapping[str, Any], found: Subject) -> str:
    stated = {key: value for key, value in claims.items() if value and key != "limits"}
    silent = [_plain(key) for key in claims if key not in stated and key != "limits"]
    target = found.name if found.path is None else str(found.path)
    width = max(map(len, stated), default=0)
    lines = [f"Claims (check them with: thermograd verify {target})"]
    lines += [f"  {_plain(key):<{width}}  {_in_words(value)}" for key, value in stated.items()]
    if silent:
        lines += textwrap.wrap(
            f"Not claimed: {', '.join(silent)}.", 90, initial_indent="  ", subsequent_indent="  "
        )
    if claims["limits"]:
        lines += ["", "Limits"]
        lines += [f"  {e['at']}: {e['method']} ({e['says']})" for e in claims["limits"]]
    return "\n".join(lines)


def _plain(key: str) -> str:
    return key.removeprefix("is_").replace("_", " ")


def _in_words(value: Any) -> str:
    if value is True:
        return "yes"
    if isinstance(value, list):
        return ", ".join(cast("list[str]", value))
    if isinstance(value, dict):
        counts = cast("dict[str, object]", value)
        return ", ".join(
            str(count) if term == "all" else f"{count} of {term}" for term, count in counts.items()
        )
    return str(value)


def _spelled(stages: Iterable[Any]) -> str:
    words: list[str] = []
    for stage in stages:
        share = Fraction(stage.weight).limit_denominator(1000)
        is_exact = abs(float(share) - stage.weight) < 1e-12
        weight = str(share) if is_exact else f"{stage.weight:.6g}"
        words.append(str(stage) if weight == "1" else f"{stage}({weight})")
    return " ".join(words)
