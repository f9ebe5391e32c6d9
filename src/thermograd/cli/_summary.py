"""`thermograd summary`."""

import dataclasses
import math
from pathlib import Path

import typer

from .._errors import ThermogradError
from ..sampling import Summary, summary_of
from ..sampling.folder import read_run_toml
from ._console import print_json


def print_summary(folder: Path, as_json: bool) -> None:
    """Print the lines of a run's summary, and above them what was run."""
    summary = summary_of(folder)
    if as_json:
        held_out, _ = held_out_of(folder)
        print_json({"folder": str(folder), "held_out": held_out, **as_data(summary)})
        return
    tables = read_run_toml(folder)
    run, target = tables["run"], tables["target"]
    typer.echo(
        f"{run['method']} on {target['kind']}, {run['walkers']} walkers, {run['steps']} steps, "
        f"T = {run['temperature']}\n"
    )
    typer.echo(str(summary))
    print_held_out(folder)


def print_held_out(folder: Path) -> None:
    """Print the scores of a run on the rows that its configuration holds out, if it does."""
    scores, trouble = held_out_of(folder)
    if scores:
        said = ", ".join(
            f"{name} {'infinite' if value is None else format(value, '.4g')}"
            for name, value in scores.items()
        )
        typer.echo(f"\nOn held-out rows: {said}")
    if trouble:
        typer.echo(f"\nNo scores on held-out rows: {trouble}")


def held_out_of(folder: Path) -> tuple[dict[str, float | None], str]:
    """Return the scores, None where one is not finite, and why there are none if that is odd."""
    from ..config import held_out_scores

    try:
        scores = held_out_scores(folder)
    except ThermogradError as error:
        return {}, " ".join(str(error).split())
    finite = {name: value if math.isfinite(value) else None for name, value in scores.items()}
    return finite, ""


def as_data(summary: Summary) -> dict[str, object]:
    """Return a summary as plain values, None where a number is not finite."""
    lines = [dataclasses.asdict(line) for line in summary.lines]
    for line in lines:
        for key, value in line.items():
            if isinstance(value, float) and not math.isfinite(value):
                line[key] = None
    return {"lines": lines, "left_out": summary.left_out}
