"""`thermograd demo`: five methods on two spirals, fifty trainings of each at once."""

import json
import textwrap
from dataclasses import replace
from pathlib import Path

import typer

from .._checks import one_of
from ..racing import Problem, Race
from ..sampling.settings import versions
from . import _demo_law, _demo_page
from ._console import progress, table
from ._demo_race import SIZES, has_compiler, points_of, run, total_steps, trained

TITLE = "Two spirals, five methods, {runs} trainings of each"
INTRO = """A perceptron with 20 ReLU units learns to tell two spirals of two turns apart: 500 points
to train on, 500 to test with, minibatches of 25, {gradients:,} gradients for each training, all
starting from weights near zero. The {runs} trainings of a method run at once, each with its own
start and its own minibatches; the settings are those published for each method."""
FIRST = "AdLaLa"  # is compared with each of the others
HEADER = ("method", "test accuracy", "worst run", "gradients", "seconds", "settings")
NOTE = """Accuracy: mean ± standard deviation between trainings. Seconds: for all trainings of the
method together, by the clock, with compilation. Differences are between means, in percentage
points, with Welch's intervals that hold together with 95% confidence."""
SETTINGS = """Settings: Vlaar (2022), thesis, University of Edinburgh, Figures 3.8 and 3.14; none
was tuned here. thermograd.racing.equal_budget runs such a race on your own problem, and tunes."""
UNCOMPILED = "No C++ compiler was found, so nothing is compiled; this takes about two minutes.\n"


def run_demo(out: Path, seed: int, size: str) -> None:
    """Train, print the table, draw the figure and write the page.

    Args:
        out: folder for them.
        seed: of points, starts, batches and noise.
        size: "full", or "smoke" for tests.
    """
    chosen = SIZES[one_of(size, SIZES, "size", "demo")]
    title = TITLE.format(runs=chosen.runs)
    intro = " ".join(INTRO.format(runs=chosen.runs, gradients=chosen.gradients).split())
    typer.echo(f"{title}\n\n{textwrap.fill(intro, 96)}\n")
    if chosen.is_compiled and not has_compiler():
        typer.echo(UNCOMPILED)
        chosen = replace(chosen, is_compiled=False)
    with progress(total_steps(chosen), "training") as advance:
        problem, race = run(chosen, seed, advance)
    rows = _rows(race)
    for line in table(HEADER[:-1], [row[:-1] for row in rows], right=" rrrr"):
        typer.echo(line)
    others = [label for label in race.standings if label != FIRST]
    pairs = [race.compare(FIRST, label, num_intervals=len(others)) for label in others]
    findings = [str(pair) for pair in pairs]
    note, settings = " ".join(NOTE.split()), " ".join(SETTINGS.split())
    typer.echo("\n" + "\n".join(findings))
    typer.echo(f"\n{textwrap.fill(note, 96)}\n\n{textwrap.fill(settings, 96)}\n")
    out.mkdir(parents=True, exist_ok=True)
    figure = _figure(title, problem, race, out)
    used = ", ".join(f"{name} {number}" for name, number in versions().items())
    notes = [note, settings, f"Seed {seed}; {used}."]
    text = _demo_page.page(title, intro, HEADER, rows, figure, findings, notes)
    _write(out / "training.html", text, "page")
    _write(out / "training.json", json.dumps(race.as_data(), indent=1) + "\n", "numbers")
    typer.echo("\nNext: `thermograd show adlala`, or `thermograd demo law` for the exact law.")


def _rows(race: Race) -> list[tuple[str, ...]]:
    return [
        (
            found.label,
            f"{100 * found.mean:.1f} ± {100 * (found.sd or 0.0):.1f}%",
            f"{100 * found.worst:.1f}%",
            f"{found.gradients:,}",
            f"{found.seconds:.1f}",
            ", ".join(
                f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
                for name, value in found.settings.items()
            ),
        )
        for found in race.standings.values()
    ]


def _figure(title: str, problem: Problem, race: Race, out: Path) -> Path | None:
    if not _demo_law.has_matplotlib():
        typer.echo("figure   needs matplotlib: pip install 'thermograd[analysis]'")
        return None
    from ..plots import race as plot
    from ..plots import style

    drawn = plot.draw(title, points_of(problem), trained(problem, race))
    paths = style.save(drawn, out, "training")
    for path in paths:
        typer.echo(f"figure   {path}")
    return paths[0]


def _write(path: Path, text: str, what: str) -> None:
    path.write_text(text, "utf-8")
    typer.echo(f"{what:8} {path}")
