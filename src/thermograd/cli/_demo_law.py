"""`thermograd demo law`: three methods in two wells against the exact law."""

import importlib.util
import json
import textwrap
from pathlib import Path

import typer

from .._checks import one_of
from ._console import progress, table
from ._demo_law_run import METHODS, SIZES, Average, Result, run, total_steps

NOTE = """T = 1, friction 1, mass 1; each method at its largest step. Averages are over time and
{walkers} walkers of {coordinates} coordinates; the standard error is their spread between walkers.
from exact      (measured − exact) / standard error: the bias of the step, made visible
predicted       the average at that step size in closed form, where one is known
from predicted  (measured − predicted) / standard error: noise, if the prediction is right
"""

PROBABLE = 6.0  # standard errors; a true prediction exceeds it once in about 10⁸ tries


def run_law(out: Path, seed: int, size: str) -> bool:
    """Run, print the table, draw the figure, and say what was seen.

    Args:
        out: folder for the figure and the numbers.
        seed: of the noise.
        size: "full", or "smoke" for tests.

    Returns:
        whether what was measured is what theory predicts.
    """
    chosen = SIZES[one_of(size, SIZES, "size", "demo")]
    typer.echo("BAOAB, OBABO and SGLD in a harmonic and a double well, against the exact law\n")
    with progress(total_steps(chosen), "sampling") as advance:
        result = run(chosen, seed, advance)
    _print_table(result.shown())
    typer.echo("\n" + NOTE.format(walkers=chosen.walkers, coordinates=chosen.coordinates))
    out.mkdir(parents=True, exist_ok=True)
    numbers = out / "stationary-law.json"
    numbers.write_text(json.dumps(result.as_data(), indent=1, sort_keys=True) + "\n", "utf-8")
    typer.echo(f"numbers  {numbers}")
    _print_figure(result, out)
    typer.echo(f"\n{_conclusion(result)}")
    return _worst(result) <= PROBABLE


def has_matplotlib() -> bool:
    """Tell whether the figure can be drawn."""
    return importlib.util.find_spec("matplotlib") is not None


def _print_table(averages: list[Average]) -> None:
    header = (
        *("well", "method", "h", "average", "measured", "exact", "std. error"),
        *("from exact", "predicted", "from predicted"),
    )
    rows = [
        (
            *(a.well, a.method, f"{a.step_size:g}", a.name),
            *(f"{a.measured:.4f}", f"{a.exact:.4f}", f"{a.standard_error:.4f}"),
            f"{a.from_exact:+.1f}",
            "–" if a.predicted is None else f"{a.predicted:.4f}",
            "–" if a.predicted is None else f"{a.from_predicted:+.1f}",
        )
        for a in averages
    ]
    for line in table(header, rows, right="  r rrrrrr"):
        typer.echo(line)


def _print_figure(result: Result, out: Path) -> None:
    if not has_matplotlib():
        typer.echo("figure   needs matplotlib: pip install 'thermograd[analysis]'")
        return
    from ..plots import stationary_law, style

    for path in style.save(stationary_law.draw(result.wells()), out, "stationary-law"):
        typer.echo(f"figure   {path}")


def _worst(result: Result) -> float:
    return max(abs(a.from_predicted) for a in result.averages if a.predicted is not None)


def _conclusion(result: Result) -> str:
    worst = _worst(result)
    predictions = sum(a.predicted is not None for a in result.averages)
    agrees = worst <= PROBABLE
    verdict = "as predicted" if agrees else "NOT as predicted: please report this"
    bias = {
        (a.well, a.method): f"{100 * (a.measured / a.exact - 1):+.1f}%"
        for a in result.shown()
        if a.name == "⟨q²⟩"
    }
    harmonic, double = (
        {method: bias[well, method] for method in METHODS} for well in ("harmonic", "double")
    )
    text = [
        "Seen: in the harmonic well ⟨q²⟩ is off by "
        + _listed(harmonic)
        + f", {verdict}: the {predictions} predictions are met within {worst:.1f} standard errors.",
        f"In the double well no step is exact: {_listed(double)}; SGLD's bias grows like h, the "
        "others' like h², at one gradient a step each.",
        "Next: `thermograd show baoab` for its update and its claims, `thermograd verify baoab` to "
        "check them, `thermograd list` for the other methods.",
    ]
    return "\n".join(textwrap.fill(paragraph, 96) for paragraph in text)


def _listed(bias: dict[str, str]) -> str:
    return ", ".join(f"{value} ({method})" for method, value in bias.items())
