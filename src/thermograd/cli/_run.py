"""`thermograd run | resume`: a configuration, an experiment, a folder."""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ParamSpec

import typer

from .. import experiments
from .._errors import ParameterError, ThermogradError
from ._console import coloured, table
from ._summary import print_held_out

P = ParamSpec("P")

FAILED = 1
INTERRUPTED = 130
OUT = Path("out")


def run_subject(
    subject: str,
    settings: Sequence[str],
    seed: int | None,
    out: Path | None,
    walkers: int | None,
    is_smoke: bool,
) -> int:
    """Run a file or an experiment, and return the exit code."""
    if subject.endswith(".toml") or Path(subject).is_file():
        if is_smoke:
            raise ParameterError("--smoke is for experiments; shorten a run with --set run.steps=")
        return run_configuration(Path(subject), changes_of(settings, seed, walkers), out)
    if settings or walkers is not None:
        raise ParameterError(f"--set and --walkers are for a FILE.toml; {subject!r} is none")
    return run_experiment(subject, is_smoke, seed, out)


def changes_of(settings: Sequence[str], seed: int | None, walkers: int | None) -> Mapping[str, str]:
    """Return the changes that the options ask for, as TOML by dotted key."""
    changes: dict[str, str] = {}
    for setting in settings:
        key, is_there, value = setting.partition("=")
        if not is_there or not key.strip():
            raise ParameterError(f"--set takes key=value, such as run.steps=500; got {setting!r}")
        changes[key.strip()] = value.strip()
    if seed is not None:
        changes["run.seed"] = str(seed)
    if walkers is not None:
        changes["run.walkers"] = str(walkers)
    return changes


def run_configuration(file: Path, changes: Mapping[str, str], out: Path | None) -> int:
    """Run a configuration into a folder, print its summary, and return the exit code."""
    from ..config import read, start_run

    config, source = read(file, changes)
    folder = out if out is not None else OUT / file.stem
    return _sampled(folder, functools.partial(start_run, config, source, folder))


def resume_run(folder: Path, more: int) -> int:
    """Continue the run in a folder, print its summary, and return the exit code."""
    from ..config import continue_run

    return _sampled(folder, functools.partial(continue_run, folder, more=more))


def run_experiment(name: str, is_smoke: bool, seed: int | None, out: Path | None) -> int:
    """Run an experiment, keep a record, print expected beside measured; return the exit code."""
    found = experiments.get(name)
    typer.echo(found.summary)
    result = found.run(is_smoke=is_smoke, seed=seed)
    folder = out if out is not None else OUT / found.name
    line = {"experiment": found.name, "is_smoke": is_smoke, **experiments.as_record(result)}
    experiments.record(line, folder)
    rows = experiments.compare(found.folder, result.measured)
    cells = [
        (row.name, f"{row.measured:.4g}", row.expected, _said(row), row.reason) for row in rows
    ]
    rest = [name for name in result.measured if name not in {row.name for row in rows}]
    cells += [(name, f"{result.measured[name]:.4g}", "", "", "") for name in rest]
    typer.echo("\n".join(table(("number", "measured", "expected", "", "reason"), cells, "lrlll")))
    typer.echo(f"\nRecord: {folder / 'records.jsonl'}")
    if is_smoke:
        typer.echo("A smoke run is too short for the expected values; they decide nothing here.")
        return 0
    return FAILED if any(row.ok is False for row in rows) else 0


def _said(row: experiments.Row) -> str:
    if math.isnan(row.measured) and row.ok is None:
        return "not measured"
    return coloured("as expected", True) if row.ok else coloured("MISSED", False)


def _sampled(folder: Path, start: Callable[[], object]) -> int:
    """Run, and print the summary; where it stops early, say how to continue."""
    from ..sampling import Run

    resume = f"thermograd resume {folder}"
    try:
        run = start()
    except KeyboardInterrupt:
        has_begun = (folder / "run.toml").is_file()
        typer.echo(f"Interrupted. Continue: {resume}" if has_begun else "Interrupted.", err=True)
        return INTERRUPTED
    except ThermogradError:
        raise
    except OSError as error:
        said = f"error: {folder} cannot be written: {error.strerror or error}."
        typer.echo(f"{said} Make room, then continue: {resume}", err=True)
        return FAILED
    assert isinstance(run, Run)
    typer.echo(str(run.summary()))
    print_held_out(folder)
    typer.echo(f"\nRun folder: {folder}")
    run.close()
    return 0
