"""Spectral density of a curvature on a logarithmic axis, with the eigenvalues that are known."""

import numpy as np
from matplotlib.figure import Figure

from ..diagnostics.curvature import Eigenpairs, SpectralDensity
from .style import INK, PALETTE, quiet

__all__ = ["draw_density"]

DECADES = 8.0  # below the peak, what is shown


def draw_density(density: SpectralDensity, pairs: Eigenpairs | None = None) -> Figure:
    """Draw a density with its standard error, and a mark for each eigenvalue.

    Args:
        density: the record.
        pairs: eigenvalues to mark.
    """
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    value, error = density.density.value, density.density.uncertainty
    floor = float(value.max()) * 10**-DECADES
    low, high = np.maximum(value - error, floor), np.maximum(value + error, floor)
    axes.fill_between(
        density.grid, low, high, color=PALETTE[0], alpha=0.25, linewidth=0, label="± 1 s.e."
    )
    label = f"density, smoothed by {density.width:.2g}"
    axes.plot(density.grid, np.maximum(value, floor), color=PALETTE[0], label=label)
    if pairs is not None:
        marks = pairs.values.value
        heights = np.full(len(marks), 2 * floor)
        axes.plot(marks, heights, "|", color=PALETTE[1], markersize=14, label="eigenvalues")
    axes.set_yscale("log")
    axes.set_ylim(floor, 30 * float(value.max()))
    axes.set_xlabel("eigenvalue")
    axes.set_ylabel("density")
    axes.set_title(f"Spectral density, {density.density.n} probes", fontsize=11, color=INK)
    axes.legend(frameon=False, fontsize=9, loc="upper right", ncols=3)
    quiet(axes)
    return figure
