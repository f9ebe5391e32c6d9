"""Draws Figures 10 and 11 from the last records.

Run it as python experiments/heber2020_common/figures_ensembles.py.
"""

from figures import MARKERS, last_record, write
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thermograd.plots.style import INK, PALETTE, quiet

GAUSSIAN = {
    "plain": "independent",
    "w16": "quasi-Newton, covariance over 8 updates",
    "w16_now": "over the positions of the moment",
    "w16_now_shrunk": "of the moment, shrunk",
}
READINGS = {"precision": "C as precision", "covariance": "C as covariance"}


def gaussian() -> Figure:
    """Draw the IAT along the directions of 64, a panel for each reading."""
    measured = last_record("heber2020_fig10_gaussian")["measured"]
    figure = Figure(figsize=(10.2, 4.4), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, (reading, title) in zip(panels, READINGS.items(), strict=True):
        for number, (name, label) in enumerate(GAUSSIAN.items()):
            start = f"{reading}_n64_{name}_iat_"
            found = [
                (int(key.removeprefix(start)), value)
                for key, value in measured.items()
                if key.startswith(start)
            ]
            axes.plot(
                *zip(*found, strict=True), color=PALETTE[number], marker=MARKERS[number],
                markersize=5, linewidth=1.2, label=label,
            )  # fmt: skip
        _finish(axes, f"{title}, n = 64", "direction, the softest first")
    panels[0].set_ylabel("IAT in steps")
    panels[0].legend(frameon=False, fontsize=8.5)
    figure.suptitle(
        "BAOAB, 16 walkers, h = 0.125, γ = 1, η = 10: integrated autocorrelation times",
        fontsize=12.5, color=INK, weight="bold",
    )  # fmt: skip
    return figure


def digits() -> Figure:
    """Draw the slowest IAT of every ensemble, of the printed problem and of the confined one."""
    measured = last_record("heber2020_fig11_mnist79")["measured"]
    every = [key.removesuffix("_iat") for key in measured if key.endswith("_iat")]
    names = [name for name in every if not name.endswith("_forced")]
    figure = Figure(figsize=(9.2, 4.2), layout="constrained")
    axes = figure.subplots()
    kinds = ("as printed", "with a prior that confines")
    for number, label in enumerate(kinds):
        chosen = [name for name in names if name.startswith("confined") == (number == 1)]
        axes.plot(
            [names.index(name) for name in chosen], [measured[f"{name}_iat"] for name in chosen],
            color=PALETTE[number], marker=MARKERS[number], linestyle="none", markersize=7,
            label=label,
        )  # fmt: skip
    axes.axhline(
        0.143 * 37_500, color=INK, linewidth=0.8, linestyle=":", label="a random walk, as printed"
    )
    axes.set_xticks(range(len(names)), [_said(name) for name in names])
    axes.set_yscale("log")
    axes.set_ylim(10, 10_000)
    axes.set_ylabel("slowest IAT in steps")
    axes.legend(frameon=False, fontsize=8.5, loc="lower left")
    axes.set_title(
        "MNIST 7 and 9, softmax regression, 8 walkers: slowest IAT", color=INK, weight="bold"
    )
    quiet(axes)
    return figure


def _said(name: str) -> str:
    name = name.removeprefix("confined_").replace("plain", "independent")
    return f"η = {float(name[3:]):g}" if name.startswith("eta") else name


def _finish(axes: Axes, title: str, what: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_title(title, fontsize=11, color=INK)
    axes.set_xlabel(what)
    quiet(axes)


def main() -> None:
    """Write the figures into the docs."""
    write(gaussian(), "heber2020_fig10_gaussian")
    write(digits(), "heber2020_fig11_mnist79")


if __name__ == "__main__":
    main()
