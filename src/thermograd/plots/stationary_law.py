"""What methods sample: histograms against the exact density, and bias against step size."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .records import Well
from .style import EXACT, INK, PALETTE, quiet

__all__ = ["draw"]


MARKERS = "osD^v<"
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)))


def draw(wells: Sequence[Well]) -> Figure:
    """Draw a column per well: densities above, biases below."""
    figure = Figure(figsize=(5.2 * len(wells), 7.6), layout="constrained")
    grid = figure.subplots(2, len(wells), squeeze=False)
    for number, well in enumerate(wells):
        _draw_densities(grid[0, number], well)
        _draw_biases(grid[1, number], well)
    figure.suptitle(
        "What three methods sample, against the exact law", fontsize=14, color=INK, weight="bold"
    )
    return figure


def _draw_densities(axes: Axes, well: Well) -> None:
    axes.fill_between(
        well.density.grid, well.density.values, color=EXACT, linewidth=0, label="exact"
    )
    for number, histogram in enumerate(well.histograms):
        axes.stairs(
            histogram.density,
            histogram.edges,
            baseline=None,
            color=PALETTE[number],
            linewidth=1.7,
            linestyle=DASHES[number % len(DASHES)],
            label=histogram.label,
        )
    axes.set_title(well.title, fontsize=11, color=INK)
    axes.set_xlabel("position q")
    axes.set_ylabel("density")
    axes.set_xlim(well.density.grid[0], well.density.grid[-1])
    axes.set_ylim(0, 1.28 * max(well.density.values))
    axes.legend(frameon=False, fontsize=9, loc="upper center", ncols=2)
    quiet(axes)


def _draw_biases(axes: Axes, well: Well) -> None:
    axes.axhline(0, color="#8A8F98", linewidth=0.8)
    for number, curve in enumerate(well.curves):
        colour = PALETTE[number]
        if curve.theory:
            h, bias = zip(*curve.theory, strict=True)
            axes.plot(h, [100 * value for value in bias], color=colour, linewidth=1.3)
        axes.errorbar(
            curve.step_sizes,
            [100 * value for value in curve.bias],
            yerr=[200 * value for value in curve.standard_error],
            color=colour,
            marker=MARKERS[number],
            markersize=6,
            markeredgecolor="white",
            markeredgewidth=0.8,
            linestyle="none",
            capsize=3,
            label=curve.label,
        )
    axes.plot([], [], color="#555555", linewidth=1.3, label=well.line_label)
    axes.set_xlabel("step size h")
    axes.set_ylabel("bias of ⟨q²⟩ in %, ± 2 standard errors")
    axes.set_xlim(left=0)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    falls = min(min(curve.bias) for curve in well.curves) < -max(
        max(curve.bias) for curve in well.curves
    )
    axes.legend(frameon=False, fontsize=9, loc="lower right" if falls else "upper left")
    quiet(axes)
