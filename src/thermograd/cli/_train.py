"""`thermograd run` of a file with a table `[train]`."""

from collections.abc import Mapping
from pathlib import Path

import typer


def run_training(file: Path, changes: Mapping[str, str], folder: Path) -> int:
    """Train, print what came of it where replica 0 is, and return the exit code."""
    from ..config import read_training, start_training

    config, source = read_training(file, changes)
    found = start_training(config, source, folder)
    if found is None:
        return 0
    table = config.train
    if found.begun:
        typer.echo(f"Continued from step {found.begun:,}.")
    plural = "s" if table.replicas > 1 else ""
    typer.echo(f"{table.rule}, {table.replicas} replica{plural}, {found.steps:,} steps each")
    if found.test_error is not None:
        typer.echo(f"test error     {100 * found.test_error:.2f}% of the master")
    if found.test_loss is not None:
        typer.echo(f"test loss      {found.test_loss:.5g}")
    typer.echo(f"training loss  {found.train_loss:.5g}")
    typer.echo(f"communication  {found.account}")
    typer.echo(f"\nFolder: {folder}")
    return 0
