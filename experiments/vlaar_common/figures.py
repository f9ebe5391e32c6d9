"""Draws the figures of chapter 4 from the last records.

Run it as python experiments/vlaar_common/figures.py.
"""

import json
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from thermograd.plots.style import INK, PALETTE, quiet

EXPERIMENTS = Path(__file__).parents[1]
DOCS = EXPERIMENTS.parent / "docs"
SPIRAL = "vlaar_ch4_spiral_circle"
CLOTHES = "vlaar_ch4_fashion_circle"
DEPTH = "vlaar_ch4_depth_orthogonal"
SPIRAL_METHODS = {
    "sgd": "SGD",
    "sgd_wd": "SGD, weight decay",
    "c_sgd": "C-SGD",
    "sgld": "SGLD",
    "c_sgld": "C-SGLD",
}
CLOTHES_METHODS = {
    "c_colud": "c-CoLud",
    "sgd_m": "SGD, momentum",
    "sgd_m_wd1e-4": "the same, weight decay",
}
DEPTH_METHODS = {
    "sgd": "SGD",
    "sgd_orthogonal": "SGD, orthogonal start",
    "penalty": "SGD, penalty",
    "o_colod": "o-CoLod",
}


def last_measured(name: str) -> dict[str, float]:
    """Return the numbers of the newest record of an experiment."""
    lines = (EXPERIMENTS / name / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(lines[-1])["measured"]


def curve(measured: dict[str, float], start: str) -> list[tuple[int, float]]:
    """Return (epoch, value) of the numbers whose names start so, by epoch."""
    found = [
        (int(key.removeprefix(start)), value)
        for key, value in measured.items()
        if key.startswith(start)
    ]
    return sorted(found)


def curves(axes: Axes, measured: dict[str, float], methods: dict[str, str], what: str) -> None:
    """Draw a curve against epochs for each method."""
    for colour, (method, label) in zip(PALETTE, methods.items(), strict=False):
        points = curve(measured, f"{method}_{what}_epoch")
        axes.plot(*zip(*points, strict=True), color=colour, label=label)
    axes.set_xlabel("epochs")
    quiet(axes)


def spiral() -> Figure:
    """Test loss and accuracy on two noisy spirals."""
    measured = last_measured(SPIRAL)
    figure = Figure(figsize=(8.0, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    curves(left, measured, SPIRAL_METHODS, "loss")
    curves(right, measured, SPIRAL_METHODS, "percent")
    left.set_ylabel("test loss")
    right.set_ylabel("test accuracy, %")
    right.legend(frameon=False, labelcolor=INK, fontsize="small")
    return figure


def clothes() -> Figure:
    """Test loss on Fashion-MNIST."""
    figure = Figure(figsize=(4.6, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    curves(axes, last_measured(CLOTHES), CLOTHES_METHODS, "loss")
    axes.set_ylabel("test loss")
    axes.legend(frameon=False, labelcolor=INK, fontsize="small")
    return figure


def depth() -> Figure:
    """Test accuracy at the deepest network, with the standard deviation over runs."""
    measured = last_measured(DEPTH)
    figure = Figure(figsize=(4.6, 2.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    key = max(int(name.rpartition("depth")[2]) for name in measured if "_depth" in name)
    for row, (colour, method) in enumerate(zip(PALETTE, DEPTH_METHODS, strict=False)):
        value = measured[f"percent_{method}_depth{key}"]
        error = measured[f"sd_{method}_depth{key}"]
        axes.errorbar(value, row, xerr=error, fmt="o", color=colour)
    axes.set_yticks(range(len(DEPTH_METHODS)), list(DEPTH_METHODS.values()))
    axes.set_xlabel(f"test accuracy, %, {key} hidden layers")
    quiet(axes)
    return figure


if __name__ == "__main__":
    for name, draw in ((SPIRAL, spiral), (CLOTHES, clothes), (DEPTH, depth)):
        if (EXPERIMENTS / name / "records.jsonl").is_file():
            draw().savefig(DOCS / f"{name}.svg", facecolor="white", metadata={"Date": None})
