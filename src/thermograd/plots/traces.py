"""Numbers over the steps of runs, with the range over walkers."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from .records import Trace
from .style import PALETTE, quiet

__all__ = ["draw_traces"]


def draw_traces(runs: Mapping[str, Trace], *, expected: float | None = None) -> Figure:
    """Draw one number of one or more runs, shaded from the lowest walker to the highest.

    Args:
        runs: records of the same number, by name of the run.
        expected: what its average should be, as a dashed line.
    """
    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    axes = figure.subplots()
    for number, (name, trace) in enumerate(runs.items()):
        colour = PALETTE[number % len(PALETTE)]
        axes.fill_between(trace.steps, trace.low, trace.high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(trace.steps, trace.mean, color=colour, linewidth=1.4, label=name)
        axes.set_ylabel(trace.name.replace("_", " "))
    if expected is not None:
        axes.axhline(expected, color="#8A8F98", linewidth=1, linestyle="--", label="expected")
    axes.set_xlabel("step")
    axes.legend(frameon=False, fontsize=9)
    quiet(axes)
    return figure
