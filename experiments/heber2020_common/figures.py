"""Draws Figures 2, 3 and 4 from the last records.

Run it as python experiments/heber2020_common/figures.py.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from thermograd.plots.style import INK, PALETTE, quiet

EXPERIMENTS = Path(__file__).parents[1]
DOCS = EXPERIMENTS.parent / "docs"
MARKERS = "osD^P"

Point = tuple[float, float, float, float]
"""h, |bias|, its standard error, |law|."""


def last_record(name: str) -> dict[str, dict[str, float]]:
    """Return the newest record of an experiment."""
    lines = (EXPERIMENTS / name / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(lines[-1])


def points(measured: dict[str, float], cell: str) -> list[Point]:
    """Return the points of a curve, from the largest step."""
    found: list[Point] = []
    for key, bias in measured.items():
        start, _, h = key.partition("_h")
        if start == f"bias_{cell}":
            end = key.removeprefix("bias_")
            law = abs(measured[f"law_{end}"])
            found.append((float(h), abs(bias), measured[f"error_{end}"], law))
    return found


def draw_law(axes: Axes, curve: Sequence[Point], colour: str) -> None:
    """Draw the exact law as a line, where it has a bias."""
    exact = [(h, law) for h, _, _, law in curve if law > 1e-9]
    if exact:
        axes.plot(*zip(*exact, strict=True), color=colour, linewidth=1.2)


def draw_points(
    axes: Axes, curve: Sequence[Point], number: int, label: str, shift: float = 1.0
) -> None:
    """Draw resolved biases full and others as upper bounds, at shift · h."""
    colour = PALETTE[number]
    for own, bias, error, _ in curve:
        h = shift * own
        if bias > 2 * error:
            axes.errorbar(
                h, bias, yerr=2 * error, color=colour, marker=MARKERS[number], markersize=5,
                markeredgecolor="white", markeredgewidth=0.7, capsize=2, elinewidth=0.9,
            )  # fmt: skip
        else:
            axes.plot(h, bias + 2 * error, color=colour, marker="v", fillstyle="none", markersize=5)
    axes.plot([], [], color=colour, marker=MARKERS[number], linestyle="none", label=label)


def finish(axes: Axes, title: str, what: str, *, has_legend: bool) -> None:
    """Label the axes."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", nonpositive="clip")
    axes.set_title(title, fontsize=11, color=INK)
    axes.set_xlabel("step size h")
    axes.set_ylabel(what)
    if has_legend:
        axes.legend(frameon=False, fontsize=8.5, loc="lower right")
    quiet(axes)


def harmonic(name: str, what: str, title: str) -> Figure:
    """Draw a panel for each stiffness and a curve for each friction."""
    record = last_record(name)
    config, measured = record["config"], record["measured"]
    figure = Figure(figsize=(12.6, 4.1), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for axes, a in zip(panels, config["stiffnesses"], strict=True):
        for number, friction in enumerate(config["frictions"]):
            curve = points(measured, f"a{a:g}_gamma{friction:g}")
            draw_points(axes, curve, number, f"γ = {friction:g}", 2 ** (0.08 * (number - 2)))
        draw_law(axes, curve, INK)
        axes.set_ylim(2e-5, 0.2)
        is_first, is_last = axes is panels[0], axes is panels[-1]
        finish(axes, f"U = ½aθ², a = {a:g}", what if is_first else "", has_legend=is_last)
    figure.suptitle(title, fontsize=12.5, color=INK, weight="bold")
    return figure


def two_clusters() -> Figure:
    """Draw a panel for the virial and one for the kinetic energy."""
    measured = last_record("heber2020_fig04_two_clusters")["measured"]
    figure = Figure(figsize=(9.6, 4.4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name in zip(panels, ("virial", "kinetic"), strict=True):
        for number, method in enumerate(("gla1", "gla2", "baoab", "sgld")):
            if curve := points(measured, f"{name}_{method}"):
                draw_law(axes, curve, PALETTE[number])
                draw_points(axes, curve, number, method.upper(), 2 ** (0.06 * (number - 1.5)))
        has_legend = name == "virial"
        finish(
            axes,
            "average virial" if has_legend else "average kinetic energy",
            "relative error, ± 2 standard errors",
            has_legend=has_legend,
        )
    figure.suptitle(
        "Perceptron on two clusters: points measured (open: upper bounds), lines exact",
        fontsize=12.5,
        color=INK,
        weight="bold",
    )
    return figure


def write(figure: Figure, name: str) -> None:
    """Write a figure into the docs."""
    FigureCanvasAgg(figure)
    figure.savefig(DOCS / f"{name}.svg", facecolor="white", metadata={"Date": None})


def main() -> None:
    """Write the figures into the docs."""
    lines = "points measured (open: upper bounds), line exact"
    what = "relative error, ± 2 standard errors"
    names = ("heber2020_fig02_kinetic_energy", "heber2020_fig03_virial")
    titles = (f"BAOAB, average kinetic energy: {lines}", f"GLA2, average virial: {lines}")
    for name, title in zip(names, titles, strict=True):
        write(harmonic(name, what, title), name)
    write(two_clusters(), "heber2020_fig04_two_clusters")


if __name__ == "__main__":
    main()
