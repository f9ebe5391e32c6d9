"""`thermograd report`: runs into a page."""

from collections.abc import Sequence
from pathlib import Path

import typer


def run_report(folders: Sequence[Path], out: Path, has_targets: bool, overwrite: bool) -> None:
    """Write the report on some runs, and say where it is."""
    from ..report.page import write_report

    path = write_report(folders, out, has_targets=has_targets, overwrite=overwrite)
    size = path.stat().st_size / 1e6
    typer.echo(f"Report: {path} ({size:.1f} MB, one file, needs no network)")
