"""Figures are drawn from records alone, and show the numbers that are in them."""

import math

import numpy as np
import pytest
import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from thermograd.diagnostics.correlation import autocorrelation_times
from thermograd.diagnostics.curvature import (
    SymmetricOperator,
    extreme_eigenpairs,
    spectral_density,
)
from thermograd.diagnostics.estimate import Estimate
from thermograd.diagnostics.landscape import Interpolation, Projection, Surface
from thermograd.noise import seeded
from thermograd.plots.iat import draw_autocorrelation_times
from thermograd.plots.interpolation import draw_interpolations
from thermograd.plots.spectrum import draw_density
from thermograd.plots.surface import draw_surface

ALPHAS = np.linspace(0, 1, 21)


def rendered(figure: Figure) -> None:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    assert float(np.asarray(canvas.buffer_rgba()).std()) > 0


def test_density_and_its_eigenvalues() -> None:
    values = torch.cat([0.02 * torch.arange(90.0), torch.tensor([3.1, 7.4])]).double()
    operator = SymmetricOperator.from_matrix(torch.diag(values))
    density = spectral_density(operator, num_steps=30, num_probes=4, generator=seeded(1))
    pairs = extreme_eigenpairs(operator, 3, generator=seeded(1))
    figure = draw_density(density, pairs)
    line, marks = (np.asarray(drawn.get_xydata()) for drawn in figure.axes[0].lines)
    peak = float(density.density.value.max())
    assert line[:, 1].max() == pytest.approx(peak)
    np.testing.assert_allclose(marks[:, 0], pairs.values.value)
    rendered(figure)


def test_interpolations_are_named_with_their_shape() -> None:
    def line(bump: float) -> Interpolation:
        loss = 2.3 - 1.9 * ALPHAS + bump * np.sin(math.pi * ALPHAS)
        error = np.full_like(loss, 0.05)
        shape = "barrier" if bump > 1 else "monotone"
        found = Estimate(0.7, 0.0, 9, "1")
        return Interpolation(
            ALPHAS, Estimate(loss, error, 40, "loss"), shape, bump, bump, 0.5, found
        )

    lines = {f"layer {k}": line(0.4 * k) for k in range(8)}
    figure = draw_interpolations(lines, title="MLP on spirals")
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()][:1] == ["layer 0 (monotone)"]
    assert [text.get_text() for text in legend.get_texts()][-1] == "layer 7 (barrier)"
    rendered(figure)


@pytest.mark.parametrize("log_gap", [False, True])
def test_surface_shows_its_values_and_the_path(log_gap: bool) -> None:
    x = np.linspace(-1.5, 1.5, 31)
    loss = 0.3 + x**2 + 4 * (x[:, None] - 0.4 * np.sin(3 * x)) ** 2
    surface = Surface(x, x, Estimate(loss, 0.01 * loss, 55, "loss"), ("first", "second"))
    steps = np.stack([np.linspace(1.2, 0.05, 30), np.linspace(-1.0, 0.05, 30)], 1)
    figure = draw_surface(surface, Projection(steps, np.zeros(30)), log_gap=log_gap, reference=0.2)
    mesh = next(c for c in figure.axes[0].collections if isinstance(c, QuadMesh))
    expected = np.log10(loss - 0.2) if log_gap else loss
    np.testing.assert_allclose(np.asarray(mesh.get_array()).reshape(31, 31), expected)
    rendered(figure)


def test_bars_are_the_times_and_bounds_are_marked() -> None:
    rng = np.random.default_rng(2)
    noise = rng.standard_normal((1, 4000, 6))
    for t in range(1, 4000):
        noise[:, t] = np.linspace(0.3, 0.99, 6) * noise[:, t - 1] + noise[:, t]
    runs = {name: autocorrelation_times(noise[:, :n]) for name, n in (("a", 4000), ("b", 2000))}
    figure = draw_autocorrelation_times(runs)
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "at least"]
    heights = [bar.get_height() for bar in figure.axes[0].patches]  # pyright: ignore[reportAttributeAccessIssue]
    for times in runs.values():
        for value in [*times.time.value, *times.at_least]:
            assert math.isnan(value) or any(value == pytest.approx(h) for h in heights)
    rendered(figure)
