"""Loss over a plane, as filled contours, with a path in it."""

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..diagnostics.landscape import Projection, Surface
from .style import INK, PALETTE, quiet

__all__ = ["draw_surface"]

COLOURS = "cividis"  # even in lightness, for colour-blind readers too


def draw_surface(
    surface: Surface,
    path: Projection | None = None,
    *,
    log_gap: bool = False,
    reference: float | None = None,
) -> Figure:
    """Draw a surface.

    Args:
        surface: the record.
        path: points to draw in its plane, in its coordinates.
        log_gap: whether to show log₁₀|f − f₀| instead of f.
        reference: f₀; the lowest loss on the grid if not given.
    """
    figure = Figure(figsize=(5.6, 4.6), layout="constrained")
    axes = figure.subplots()
    values = surface.log_gap(reference) if log_gap else surface.loss.value
    name = "log₁₀ |f − f₀|" if log_gap else "mean loss"
    drawn = axes.pcolormesh(surface.x, surface.y, values, cmap=COLOURS, shading="nearest")
    axes.contour(
        surface.x,
        surface.y,
        surface.loss.value,
        levels=12,
        colors="white",
        linewidths=0.6,
        alpha=0.7,
    )
    if path is not None:
        x, y = path.coordinates[:, 0], path.coordinates[:, 1]
        axes.plot(x, y, color=PALETTE[1], linewidth=1.4, marker=".", markersize=4, label="path")
        axes.plot(x[-1:], y[-1:], "*", color=PALETTE[1], markersize=12, markeredgecolor="white")
        axes.set_xlim(surface.x[0], surface.x[-1])
        axes.set_ylim(surface.y[0], surface.y[-1])
        axes.legend(frameon=True, fontsize=9)
    bar = figure.colorbar(drawn, ax=axes, label=name)
    bar.locator = MaxNLocator(7)
    bar.update_ticks()
    axes.set_xlabel(surface.labels[0])
    axes.set_ylabel(surface.labels[1])
    axes.set_title(f"{name}, {surface.loss.n} examples", fontsize=11, color=INK)
    quiet(axes)
    return figure
