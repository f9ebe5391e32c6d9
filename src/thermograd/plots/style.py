"""How figures look: one palette that colour-blind readers can tell apart, and quiet axes."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

__all__ = ["EXACT", "INK", "PALETTE", "quiet", "save"]

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito
INK = "#222222"
EXACT = "#C9CED6"


def quiet(axes: Axes) -> None:
    """Take the box and the ticks' weight away from `axes`."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#8A8F98")
    axes.tick_params(color="#8A8F98", labelcolor=INK, labelsize=9)


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write `figure` as PNG and SVG.

    Args:
        figure: what to write.
        folder: where to; made if missing.
        name: of the files, without ending.

    Returns:
        the files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    FigureCanvasAgg(figure)
    paths = [folder / f"{name}.png", folder / f"{name}.svg"]
    for path in paths:
        figure.savefig(path, dpi=160, facecolor="white")
    return paths
