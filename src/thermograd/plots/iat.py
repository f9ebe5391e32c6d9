"""Integrated autocorrelation times as bars, of one run or of several side by side."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ..diagnostics.correlation import AutocorrelationTimes
from .style import INK, PALETTE, quiet

__all__ = ["draw_autocorrelation_times"]

HATCH = "////"


def draw_autocorrelation_times(
    runs: Mapping[str, AutocorrelationTimes], *, xlabel: str = "direction"
) -> Figure:
    """Draw the time of every series with its standard error; bounds are hatched, and say so.

    Args:
        runs: records by name, of as many series each.
        xlabel: what the series are.
    """
    figure = Figure(figsize=(7.2, 4.0), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / max(1, len(runs))
    has_bounds = False
    for number, (name, times) in enumerate(runs.items()):
        series = np.arange(1, len(times.at_least) + 1) + (number - (len(runs) - 1) / 2) * width
        colour, known = PALETTE[number % len(PALETTE)], np.isfinite(times.time.value)
        axes.bar(
            series[known],
            times.time.value[known],
            width,
            yerr=times.time.uncertainty[known],
            color=colour,
            error_kw={"elinewidth": 1, "ecolor": INK},
            label=name,
        )
        bound = np.isfinite(times.at_least)
        has_bounds |= bool(bound.any())
        axes.bar(
            series[bound],
            times.at_least[bound],
            width,
            facecolor="white",
            edgecolor=colour,
            hatch=HATCH,
        )
    axes.set_yscale("log")
    axes.set_xlabel(xlabel)
    axes.set_ylabel("autocorrelation time in draws, ± 1 s.e.")
    handles, _ = axes.get_legend_handles_labels()
    if has_bounds:
        mark = Patch(facecolor="white", edgecolor=INK, hatch=HATCH, label="at least")
        handles = [*handles, mark]
    axes.legend(handles=handles, frameon=False, fontsize=9)
    quiet(axes)
    return figure
