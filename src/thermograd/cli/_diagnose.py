"""`thermograd diagnose`: diagnostics of a run by name, as a table and as a line in a file."""

import dataclasses
import json
import math
import time
from pathlib import Path

import typer

from .._errors import StoreError
from ._console import finite, print_json, table

RECORD = "diagnostics.jsonl"


def run_diagnose(folder: Path, what: str, out: Path | None, as_json: bool) -> bool:
    """Measure, print, append to the record; return whether everything asked for was measured."""
    from ..report.diagnose import diagnose
    from ..report.record import read_record
    from ..sampling.settings import versions

    record = read_record(folder)
    names = [name.strip() for name in what.split(",") if name.strip()]
    found = diagnose(record, names)
    data = {
        "time": round(time.time(), 3),
        "run": record.name,
        "steps": record.steps_done,
        "versions": versions(),
        "diagnostics": [finite(dataclasses.asdict(one)) for one in found],
    }
    path = folder / RECORD if out is None else out
    _append(path, data)
    if as_json:
        print_json(data)
        return all(not one.reason for one in found)
    for one in found:
        typer.echo(f"\n{one.name}")
        if one.reason:
            typer.echo(f"not measured: {one.reason}")
            continue
        rows = [
            (row.name, _number(row.value), _number(row.uncertainty, 2), _unit(row.unit), row.says)
            for row in one.rows
        ]
        typer.echo("\n".join(table(("", "value", "± s.e.", "unit", ""), rows, "lrrll")))
    typer.echo(f"\nRecord: {path}")
    return all(not one.reason for one in found)


def _append(path: Path, data: object) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(data, allow_nan=False) + "\n")
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def _number(value: float, digits: int = 5) -> str:
    return f"{value:.{digits}g}" if math.isfinite(value) else "–"


def _unit(unit: str) -> str:
    return "" if unit == "1" else unit
