"""Output: one-line errors, JSON, aligned tables, and progress that suits where it is shown."""

import functools
import json
import math
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import ParamSpec, Protocol, TypeVar

import typer

from .._errors import ThermogradError

P = ParamSpec("P")
R = TypeVar("R")


class Advance(Protocol):
    """Says how much more is done, and what is being done now."""

    def __call__(self, amount: int, label: str | None = None) -> None: ...


def reported(command: Callable[P, R]) -> Callable[P, R]:
    """Turn the library's errors into one line on stderr and exit code 2."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except ThermogradError as error:
            typer.echo(f"error: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(2) from None

    return run


def print_json(data: object) -> None:
    """Print data as JSON with sorted keys."""
    typer.echo(json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False))


def finite(value: object) -> object:
    """Return plain data with None where a number is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(entry) for entry in value]
    return value


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> list[str]:
    """Align columns.

    Args:
        header: titles of the columns.
        rows: the cells.
        right: a letter per column, "r" for those aligned to the right.

    Returns:
        the lines, header and rule first.
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    sides = right.ljust(len(widths))
    rule = ["─" * width for width in widths]
    return [_aligned(cells, widths, sides) for cells in (header, rule, *rows)]


def _aligned(cells: Sequence[str], widths: Sequence[int], sides: str) -> str:
    padded = [
        cell.rjust(width) if side == "r" else cell.ljust(width)
        for cell, width, side in zip(cells, widths, sides, strict=True)
    ]
    return "  ".join(padded).rstrip()


def coloured(text: str, ok: bool) -> str:
    """Return `text` in green or red; where the output is no terminal the colour is dropped."""
    return typer.style(text, fg="green" if ok else "red")


@contextmanager
def progress(total: int, title: str, lines: bool = True) -> Generator[Advance]:
    """Show a bar on a terminal, or else a line on stderr for every new label.

    Args:
        total: what the amounts will add up to.
        title: what is being done, in front of the bar.
        lines: whether to print lines where there is no terminal.
    """
    if not sys.stderr.isatty():

        def say(amount: int, label: str | None = None) -> None:
            if label is not None and lines:
                typer.echo(f"{title}: {label}", err=True)

        yield say
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)

        def advance(amount: int, label: str | None = None) -> None:
            bar.update(task, advance=amount)
            if label is not None:
                bar.update(task, description=f"{title}: {label}")

        yield advance
