"""Loss along straight lines between two points."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from ..diagnostics.landscape import Interpolation
from .style import INK, PALETTE, quiet

__all__ = ["draw_interpolations"]

DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1, 2)))


def draw_interpolations(lines: Mapping[str, Interpolation], *, title: str = "") -> Figure:
    """Draw the loss along each line, with a band of one standard error and its shape in words.

    Args:
        lines: records by name, such as those of the layers.
        title: of the figure.
    """
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    for number, (name, line) in enumerate(lines.items()):
        colour = PALETTE[number % len(PALETTE)]
        dashes = DASHES[(number // len(PALETTE)) % len(DASHES)]
        loss, error = line.loss.value, line.loss.uncertainty
        label = f"{name} ({line.shape})"
        axes.plot(line.alphas, loss, color=colour, linestyle=dashes, linewidth=1.6, label=label)
        axes.fill_between(
            line.alphas, loss - error, loss + error, color=colour, alpha=0.18, linewidth=0
        )
    axes.set_xlim(0, 1)
    axes.set_xlabel("α, from the start to the end")
    axes.set_ylabel("mean loss")
    axes.set_title(title, fontsize=11, color=INK)
    axes.legend(frameon=False, fontsize=9, ncols=1 + len(lines) // 8)
    quiet(axes)
    return figure
