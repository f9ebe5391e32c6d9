"""What trainings found: the classifiers of single runs, and loss and accuracy on the way."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from .records import Band, Classifier, Points, Trained
from .style import INK, PALETTE, quiet

__all__ = ["draw"]

CLASSES = (PALETTE[1], PALETTE[0])  # orange and blue
SHADES = LinearSegmentedColormap.from_list("classes", ["#F2B48A", "#FFFFFF", "#8FC1E3"])
DASHES = ((0, (1, 1)), (0, (3, 1, 1, 1)), (0, (5, 2)), (0, (7, 2, 1, 2)), "-")
FAINT = "#8A8F98"


def draw(title: str, points: Points, methods: Sequence[Trained]) -> Figure:
    """Draw a column per method, its median run above its worst one, and the curves below.

    Args:
        title: of the figure.
        points: that were trained on.
        methods: what each of them did.
    """
    width = 2.45 * len(methods)
    figure = Figure(figsize=(width, 9.3), layout="constrained")
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.38, 1))[:, 0]
    grid = above.subplots(2, len(methods), squeeze=False)
    for column, method in enumerate(methods):
        for row, classifier in enumerate((method.median, method.worst)):
            _draw_classifier(grid[row, column], points, classifier)
        grid[0, column].annotate(
            method.label,
            (0.5, 1.14),
            xycoords="axes fraction",
            ha="center",
            fontsize=13,
            color=INK,
            weight="bold",
        )
    for row, name in enumerate(("median run", "worst run")):
        grid[row, 0].set_ylabel(name, fontsize=11, color=INK)
    left, right = below.subplots(1, 2)
    _draw_curves(left, methods, lambda method: method.loss)
    left.set_ylabel("loss on the training set")
    left.set_ylim(bottom=0)
    _draw_curves(right, methods, lambda method: method.accuracy)
    right.set_ylabel("accuracy on the test set")
    right.set_ylim(top=1.005)
    right.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.0f}%"))
    for axes in (left, right):
        axes.set_title("mean of the runs, and the middle 80% of them", fontsize=10, color=INK)
    right.legend(frameon=False, fontsize=10, loc="lower right", ncols=2, handlelength=3.2)
    figure.suptitle(title, fontsize=14, color=INK, weight="bold")
    return figure


def _draw_classifier(axes: Axes, points: Points, found: Classifier) -> None:
    reach = found.reach
    axes.imshow(
        np.asarray(found.probability),
        origin="lower",
        extent=(-reach, reach, -reach, reach),
        cmap=SHADES,
        vmin=0,
        vmax=1,
        interpolation="bilinear",
    )
    for label, colour in enumerate(CLASSES):
        chosen = [(x, y) for x, y, own in points if own == label]
        axes.scatter(*zip(*chosen, strict=True), s=3.5, color=colour, linewidths=0)
    axes.set_title(f"{100 * found.accuracy:.1f}%", fontsize=10, color=INK, pad=3)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color("#C9CED6")


def _draw_curves(axes: Axes, methods: Sequence[Trained], chosen: Callable[[Trained], Band]) -> None:
    for number, method in enumerate(methods):
        band, colour = chosen(method), PALETTE[number % len(PALETTE)]
        axes.fill_between(band.at, band.low, band.high, color=colour, alpha=0.13, linewidth=0)
        axes.plot(
            band.at,
            band.mean,
            color=colour,
            linewidth=1.9,
            linestyle=DASHES[number % len(DASHES)],
            label=method.label,
        )
    axes.set_xlabel("minibatch gradients")
    axes.set_xlim(0, max(max(chosen(method).at) for method in methods))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
    quiet(axes)
