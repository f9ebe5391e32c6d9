"""`thermograd compare`: runs side by side at equal cost."""

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

import typer

from ._console import finite, print_json, table


def run_compare(folders: Sequence[Path], what: str, as_json: bool) -> None:
    """Print means with intervals for every condition, and what the differences are worth."""
    from ..report.comparison import compare
    from ..report.page import read_records

    names = [name.strip() for name in what.split(",") if name.strip()]
    found = compare(read_records(folders), names)
    if as_json:
        print_json(finite(dataclasses.asdict(found)))
        return
    typer.echo(f"Equal cost: {found.budget:,.0f} {found.unit} a walker.")
    longer = [name for name, cost in found.spent.items() if cost > 1.001 * found.budget]
    if longer:
        typer.echo(f"Cut to that: {', '.join(longer)}.")
    rows = [
        (
            one.quantity,
            one.name,
            str(len(one.runs)),
            f"{one.mean:.5g}",
            f"{one.low:.5g} to {one.high:.5g}" if math.isfinite(one.low) else "unknown",
        )
        for one in found.conditions
    ]
    header = ("quantity", "condition", "seeds", "mean", "95% interval")
    typer.echo("\n" + "\n".join(table(header, rows, "llrrl")))
    if found.differences:
        typer.echo("\n" + "\n".join(one.says for one in found.differences))
        typer.echo(f"(5% shared out over {len(found.differences)} tests)")
