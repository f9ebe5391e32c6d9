"""Draws the figures of chapter 3 from the last records.

Run it as python experiments/vlaar_ch3_common/figures.py.
"""

import json
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from thermograd.plots.style import INK, PALETTE, quiet

EXPERIMENTS = Path(__file__).parents[1]
DOCS = EXPERIMENTS.parent / "docs"
METHODS = {
    "sgd": "SGD",
    "sgld": "SGLD",
    "sgd_momentum": "SGD, momentum",
    "adam": "Adam",
    "lol": "LOL",
    "adlala": "AdLaLa",
}
PROBLEMS = {"spiral4": "4-turn spiral", "trig6": "trigonometric, a = 6", "trig10": "a = 10"}

Record = dict[str, Any]


def last_record(name: str) -> Record | None:
    """Return the newest record of an experiment, None if there is none."""
    path = EXPERIMENTS / name / "records.jsonl"
    if not path.is_file():
        return None
    return json.loads(path.read_text(encoding="utf-8").splitlines()[-1])


def scan(axes: Axes, record: Record, prefix: str, zero: float, number: int = 0) -> None:
    """Draw means and standard deviations over the values in the names; 0 is drawn at `zero`."""
    measured = record["measured"]
    found = sorted(
        (float(name.removeprefix(prefix).removesuffix("_percent")), name)
        for name in measured
        if name.startswith(prefix) and name.endswith("_percent")
    )
    values = [value for value, _ in found]
    places = [max(value, zero) for value in values]
    means = [measured[name] for _, name in found]
    spreads = [measured[name.removesuffix("percent") + "sd"] for _, name in found]
    axes.errorbar(
        places, means, yerr=spreads, color=PALETTE[number], marker="o", markersize=5, capsize=3,
        linewidth=1.2, elinewidth=0.9,
    )  # fmt: skip
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=20))
    axes.xaxis.set_major_formatter(lambda x, _: "0" if x <= 1.01 * zero else f"{x:g}")
    axes.minorticks_off()
    finish(axes)


def label_curves(axes: Axes, labels: tuple[str, ...]) -> None:
    """Name the curves by their colours."""
    for number, label in enumerate(labels):
        axes.plot([], [], color=PALETTE[number], marker="o", label=label)
    axes.legend(frameon=False, fontsize=8.5, loc="lower left")


def finish(axes: Axes) -> None:
    """Label the accuracy, and draw chance."""
    axes.axhline(50, color="#8A8F98", linewidth=0.8, linestyle=":")
    axes.set_ylim(40, 102)
    axes.set_ylabel("test accuracy, %")
    quiet(axes)


def temperature(name: str, title: str) -> Figure | None:
    """Draw accuracy over temperature."""
    record = last_record(name)
    if record is None:
        return None
    figure = Figure(figsize=(6.0, 3.6), layout="constrained")
    axes = figure.subplots()
    scan(axes, record, "temperature", 1e-7)
    if "both" in record["config"]:
        scan(axes, record, "both_temperature", 1e-7, 1)
        label_curves(axes, ("hidden part", "both parts"))
    axes.set_xlabel("temperature")
    axes.set_title(title, fontsize=11, color=INK)
    return figure


def driving_noise(name: str) -> Figure | None:
    """Draw accuracy over σ, a panel for each temperature."""
    record = last_record(name)
    if record is None:
        return None
    heats = record["config"]["temperatures"]
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    panels = figure.subplots(1, len(heats), sharey=True)
    for number, (axes, heat) in enumerate(zip(panels, heats, strict=True)):
        scan(axes, record, f"temperature{heat:g}_noise", 1e-4, number)
        axes.set_xlabel("driving noise σ")
        axes.set_title(f"AdLaLa, T₁ = {heat:g}", fontsize=11, color=INK)
    return figure


def tuned(name: str) -> Figure | None:
    """Draw mean, spread and worst run of each method on each problem."""
    record = last_record(name)
    if record is None:
        return None
    measured = record["measured"]
    figure = Figure(figsize=(11.0, 3.4), layout="constrained")
    panels = figure.subplots(1, len(PROBLEMS), sharey=True)
    for axes, (key, title) in zip(panels, PROBLEMS.items(), strict=True):
        for place, label in enumerate(METHODS):
            if f"{key}_{label}_percent" not in measured:
                continue
            mean, sd, worst = (measured[f"{key}_{label}_{x}"] for x in ("percent", "sd", "worst"))
            colour = PALETTE[1] if label in ("lol", "adlala") else PALETTE[0]
            axes.errorbar(mean, place, xerr=sd, color=colour, marker="o", markersize=6, capsize=3)
            axes.plot(worst, place, color=colour, marker="|", markersize=9)
        axes.set_yticks(range(len(METHODS)), list(METHODS.values()))
        axes.set_xlabel("test accuracy, %")
        axes.set_title(title, fontsize=11, color=INK)
        quiet(axes)
    return figure


FIGURES = {
    "vlaar_ch3_equal_budget_tuned": tuned,
    "vlaar_ch3_fig16_driving_noise": driving_noise,
    "vlaar_ch3_fig17_lol_temperature": lambda name: temperature(name, "LOL, 4-turn spiral"),
    "vlaar_ch3_fig01_langevin_temperature": lambda name: temperature(
        name, "Langevin dynamics, trigonometric data"
    ),
}

if __name__ == "__main__":
    for name, draw in FIGURES.items():
        figure = draw(name)
        if figure is not None:
            FigureCanvasAgg(figure)
            figure.savefig(DOCS / f"{name}.svg", facecolor="white", metadata={"Date": None})
