"""`thermograd fetch`."""

from pathlib import Path

import typer

from .._errors import FetchError
from ..data.fetch import fetch_set, missing_files
from ..data.folders import data_folder
from ..data.sources import SETS
from ._console import print_json, table


def print_sets(to: Path | None, as_json: bool) -> None:
    """Print a row for each set, and whether its files are here."""
    root = data_folder(to)
    is_here = {name: not missing_files(found, root / name) for name, found in SETS.items()}
    if as_json:
        members = [
            {
                "name": name,
                "summary": found.title,
                "licence": found.licence,
                "num_bytes": found.num_bytes,
                "sources": [str(source) for source in found.sources],
                "is_here": is_here[name],
            }
            for name, found in SETS.items()
        ]
        print_json({"folder": str(root), "sets": members})
        return
    rows = [
        (name, f"{found.num_bytes / 1e6:.1f}", "yes" if is_here[name] else "no", found.title)
        for name, found in SETS.items()
    ]
    typer.echo("\n".join(table(("set", "MB", "here", "what it is"), rows, "lrll")))
    typer.echo(f"\nFolder: {root}\nLicences")
    for name, found in SETS.items():
        typer.echo(f"  {name:<14} {found.licence}")
    typer.echo("\nFetch one: thermograd fetch mnist")


def run_fetch(name: str, to: Path | None, as_json: bool) -> bool:
    """Fetch a set and tell whether it is there: progress on stderr, the outcome on stdout."""
    try:
        done = fetch_set(name, to, say=lambda line: typer.echo(line, err=True))
    except FetchError as error:
        typer.echo(f"error: {error}", err=True)
        return False
    if as_json:
        print_json(
            {
                "folder": str(done.folder),
                "num_new": done.num_new,
                "num_bytes": done.num_bytes,
                "seconds": round(done.seconds, 3),
            }
        )
    elif done.num_new:
        files = "file" if done.num_new == 1 else "files"
        typer.echo(
            f"{done.num_new} {files} in {done.folder} ({done.num_bytes / 1e6:.1f} MB downloaded, "
            f"{done.seconds:.1f} s). Licence: {SETS[name].licence}."
        )
    return True
