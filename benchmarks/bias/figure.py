"""The figure of the bias table: the relative bias of ⟨q²⟩ against h, without gradient noise.

Open marks are upper bounds: a bias that is not seen, plus its error bar.
"""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from .verdict import SEEN

Record = dict[str, Any]

# One line for each law: methods whose positions follow the same one are drawn once.
SHOWN = {
    "baoab": ("thermograd", "baoab", "C0", "o-"),
    "obabo": ("thermograd", "obabo", "C1", "s-"),
    "oba": ("thermograd", "oba", "C2", "^-"),
    "leimkuhler_matthews": ("thermograd", "leimkuhler_matthews", "C4", "v-"),
    "sgld": ("thermograd", "sgld", "C3", "D-"),
    "posteriors sghmc": ("posteriors", "sghmc", "C5", "o--"),
    "blackjax sghmc": ("blackjax", "sghmc", "C6", "s--"),
    "geoopt SGRHMC": ("geoopt", "SGRHMC", "C7", "^--"),
    "geoopt RHMC": ("geoopt", "RHMC", "C8", "v--"),
}


def draw(result: Record, path: Path) -> None:
    """Write the figure as SVG, the same bytes for the same record."""
    steps = result["settings"]["step_sizes"]
    with mpl.rc_context({"svg.hashsalt": "bias", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(9.6, 3.9), layout="constrained")
        axes = figure.subplots(1, 3, sharey=True)
        for panel, target in zip(axes, result["targets"], strict=True):
            _panel(panel, result["rows"], target, steps)
            panel.set_title(target)
            panel.set_xlabel("h")
        axes[0].set_ylabel("|relative bias of ⟨q²⟩|")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
        figure.savefig(path, metadata={"Date": None})


def _panel(panel: Any, rows: list[Record], target: str, steps: list[float]) -> None:
    found = {
        (row["library"], row["method"]): row["observables"]["q2"]
        for row in rows
        if row["target"] == target and not row["is_noisy"]
    }
    for label, (library, method, colour, style) in SHOWN.items():
        if (library, method) not in found:
            continue
        values = found[library, method]
        points = [
            (h, abs(mean - values["exact"]) / values["exact"], error / values["exact"])
            for h, mean, error in zip(steps, values["mean"], values["error"], strict=True)
            if mean is not None
        ]
        seen = [(h, bias, error) for h, bias, error in points if bias > SEEN * error]
        bounds = [(h, bias + SEEN * error) for h, bias, error in points if bias <= SEEN * error]
        if bounds:
            panel.plot(*zip(*bounds, strict=True), style[0], color=colour, ms=4, mfc="none")
        x, y, se = zip(*seen, strict=True) if seen else ((), (), ())
        panel.errorbar(x, y, se, fmt=style, color=colour, ms=4, lw=1, label=label)
    for order, low in ((1, 8e-2), (2, 1e-3)):
        guide = [low * (h / steps[0]) ** order for h in steps]
        panel.plot(steps, guide, ":", color="0.6", lw=1)
        panel.annotate(f"h{'²' * (order == 2)}", (steps[-1], guide[-1]), color="0.4")
    panel.set(xscale="log", yscale="log", ylim=(3e-4, 2))
    panel.set_xticks(steps, [f"{h:g}" for h in steps])
    panel.minorticks_off()
