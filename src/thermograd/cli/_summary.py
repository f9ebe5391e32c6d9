"""`thermograd summary`."""

import dataclasses
import math
from pathlib import Path

import typer

from ..sampling import Summary, summary_of
from ..sampling.folder import read_run_toml
from ._console import print_json


def print_summary(folder: Path, as_json: bool) -> None:
    """Print the lines of a run's summary, and above them what was run."""
    summary = summary_of(folder)
    if as_json:
        print_json({"folder": str(folder), **as_data(summary)})
        return
    tables = read_run_toml(folder)
    run, target = tables["run"], tables["target"]
    typer.echo(
        f"{run['method']} on {target['kind']}, {run['walkers']} walkers, {run['steps']} steps, "
        f"T = {run['temperature']}\n"
    )
    typer.echo(str(summary))


def as_data(summary: Summary) -> dict[str, object]:
    """Return a summary as plain values, None where a number is not finite."""
    lines = [dataclasses.asdict(line) for line in summary.lines]
    for line in lines:
        for key, value in line.items():
            if isinstance(value, float) and not math.isfinite(value):
                line[key] = None
    return {"lines": lines, "left_out": summary.left_out}
