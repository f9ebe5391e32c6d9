"""Draws the figures of the theory bench, from the last records and from short runs again.

Run it as python experiments/chaudhari_common/figures.py, with names of experiments or all of them.
"""

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from thermograd.plots.style import EXACT, INK, PALETTE, quiet
from thermograd.potentials.spin_glass_counts import band_edge, complexity, lowest_level

EXPERIMENTS = Path(__file__).parents[1]
DOCS = EXPERIMENTS.parent / "docs"


def imported(folder: str, module: str) -> ModuleType:
    """Import a module that is beside an experiment."""
    places = [str(EXPERIMENTS / folder), str(EXPERIMENTS)]
    sys.path[:0] = places
    try:
        return __import__(module)
    finally:
        for place in places:
            sys.path.remove(place)


def last_record(name: str) -> dict[str, Any]:
    """Return the newest record of an experiment."""
    lines = (EXPERIMENTS / name / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(lines[-1])


def spin_glass(name: str) -> Figure:
    """Draw where 200 descents end, in the plane of the largest variance, and the energies."""
    runs = imported(name, "experiment")
    size = runs.Size(draws=1, starts=200)
    figure = Figure(figsize=(13.2, 3.7), layout="constrained")
    panels = figure.subplots(1, 4)
    plane, levels = None, torch.empty(0)
    for axes, (regime, field_size) in zip(panels, runs.fields(100).items(), strict=False):
        glass = runs.glass_of(size, field_size, 100 * runs.SEED)
        points = runs.minima(glass, size, 100 * runs.SEED).points / 10.0
        if plane is None:
            plane = torch.linalg.svd(points - points.mean(0), full_matrices=False).Vh[:2]
            levels = glass.energy([10.0 * points]) / 100
        at = (points @ plane.T).numpy()
        heights = glass.energy([10.0 * points]).numpy() / 100
        spots = axes.scatter(*at.T, c=heights, cmap="viridis", s=14, linewidths=0)
        axes.set(xlim=(-1, 1), ylim=(-1, 1), aspect="equal")
        axes.set_title(f"{regime}: ν = {field_size:.3g}", fontsize=10.5, color=INK)
        if float(np.ptp(heights)) > 1e-3:
            figure.colorbar(spots, ax=axes, shrink=0.7, label="U/N")
        quiet(axes)
    _complexities(panels[3], levels)
    figure.suptitle("Ends of 200 descents of a 3-spin glass, N = 100", color=INK, weight="bold")
    return figure


def _complexities(axes: Axes, levels: torch.Tensor) -> None:
    counts, edges = np.histogram(levels.numpy(), bins=18)
    heights = 0.06 * counts / counts.max()
    axes.bar(edges[:-1], heights, np.diff(edges), align="edge", color=EXACT, label="ends, ν = 0.01")
    u = np.linspace(lowest_level(3) - 0.004, -1.4, 300)
    for number, (index, label) in enumerate(((None, "Θ, all"), (0, "Θ₀, minima"), (1, "Θ₁"))):
        curve = [complexity(float(v), 3, index) for v in u]
        axes.plot(u, curve, color=PALETTE[number], label=label)
    axes.axvline(-band_edge(3), color=INK, linewidth=0.8, linestyle=":")
    axes.set(ylim=(-0.005, 0.12), xlabel="u = U/N", ylabel="log of the count, over N")
    axes.legend(frameon=False, fontsize=8)
    quiet(axes)


def smoothing(name: str) -> Figure:
    """Draw U and the three smoothings for two γ."""
    runs = imported(name, "rough")
    x = runs.grid(1801)
    figure = Figure(figsize=(10.8, 3.9), layout="constrained")
    labels = {"local_entropy": "local entropy", "heat": "HEAT", "hj": "HJ"}
    for axes, scope in zip(figure.subplots(1, 2, sharey=True), (0.2, 1.0), strict=True):
        axes.plot(x, runs.rough(x), color=EXACT, linewidth=1.4, label="U")
        for number, (kind, of) in enumerate(runs.smoothed(x).items()):
            axes.plot(x, of(scope), color=PALETTE[number], linewidth=1.5, label=labels[kind])
        axes.set(xlim=(-5, 5), ylim=(-1.7, 2.2), xlabel="x")
        axes.set_title(f"γ = {scope:g}, T = {runs.TEMPERATURE:g}", fontsize=10.5, color=INK)
        axes.legend(frameon=False, fontsize=8.5, loc="upper center")
        quiet(axes)
    return figure


def perceptron(name: str) -> Figure:
    """Draw the number of solutions, and the overlap with the teacher."""
    record = last_record(name)
    measured, loads = record["measured"], record["config"]["loads"]

    def curve(key: str) -> tuple[list[float], list[float]]:
        cells = [f"{key}_load{load:g}" for load in loads]
        return [measured[c] for c in cells], [2 * measured[f"error_{c}"] for c in cells]

    figure = Figure(figsize=(9.6, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    law = [measured[f"law_solutions_load{load:g}"] for load in loads]
    left.plot(loads, law, color=INK, linewidth=1.0, label="exact, random labels")
    rows = ((left, "solutions", "random labels"), (left, "teacher_solutions", "a teacher's labels"),
            (right, "overlap_of_a_solution", "any solution"),
            (right, "overlap_of_the_densest", "the one with most solutions near it"))  # fmt: skip
    for number, (axes, key, label) in enumerate(rows):
        values, bars = curve(key)
        axes.errorbar(
            loads, values, yerr=bars, color=PALETTE[number], marker="o", markersize=4,
            linestyle="none" if axes is left else "-", label=label,
        )  # fmt: skip
    left.set_yscale("log")
    left.set_ylabel("number of solutions")
    right.set_ylabel("overlap with the teacher")
    for axes in (left, right):
        axes.set_xlabel("load α = N/d")
        axes.legend(frameon=False, fontsize=8.5)
        quiet(axes)
    return figure


def mnist(name: str) -> Figure:
    """Draw errors against effective epochs, with standard deviations over seeds."""
    measured = last_record(name)["measured"]
    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = figure.subplots()
    kinds = ("sgd", "entropy_sgd", "elastic_sgd", "parle")
    labels = ("SGD", "Entropy-SGD", "Elastic-SGD, n = 3", "Parle, n = 3")
    for number, (kind, label) in enumerate(zip(kinds, labels, strict=True)):
        start = f"{kind}_percent_epoch"
        keys = [k for k in measured if k.startswith(start) and not k.endswith("_sd")]
        epochs = [int(key.removeprefix(start)) for key in keys]
        bars = [measured.get(f"{key}_sd", math.nan) for key in keys]
        shifted = [epoch + 0.05 * (number - 1.5) for epoch in epochs]
        axes.errorbar(
            shifted, [measured[k] for k in keys], yerr=bars, color=PALETTE[number], marker="o",
            markersize=4, capsize=2, label=label,
        )  # fmt: skip
    axes.set(xlabel="effective epochs", ylabel="test error, %, ± standard deviation")
    axes.legend(frameon=False, fontsize=8.5)
    quiet(axes)
    return figure


FIGURES: dict[str, Callable[[str], Figure]] = {
    "chaudhari_ch2_fig02_spin_glass": spin_glass,
    "chaudhari_ch3_binary_perceptron": perceptron,
    "chaudhari_ch4_fig01_smoothing": smoothing,
    "chaudhari_ch5_tab01_mnist_lenet": mnist,
}


def main(names: list[str]) -> None:
    """Write figures into the docs."""
    for name in names or FIGURES:
        figure = FIGURES[name](name)
        FigureCanvasAgg(figure)
        figure.savefig(DOCS / f"{name}.svg", facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    main(sys.argv[1:])
