"""Figures of a run show what its folder holds."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from thermograd._errors import ParameterError, UnknownNameError
from thermograd.report.figures import RunFigures
from thermograd.report.traces import traces

from .runs import PLANE, WELL, made


def test_figures_draw_the_records(tmp_path: Path) -> None:
    figures = RunFigures.of(made(PLANE, tmp_path / "plane"))
    drawn = figures.traces("kinetic_temperature")
    (trace,) = traces(figures.record, ["kinetic_temperature"])
    line, expected = drawn.axes[0].get_lines()
    assert np.array_equal(np.asarray(line.get_ydata()), trace.mean)
    assert list(np.asarray(expected.get_ydata())) == [0.7, 0.7]
    for figure in (drawn, figures.times(), figures.surface(resolution=7)):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        assert float(np.asarray(canvas.buffer_rgba()).std()) > 0


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    figures = RunFigures.of(made(WELL, tmp_path / "well"))
    with pytest.raises(UnknownNameError, match="Did you mean 'virial'"):
        figures.traces("viral")
    with pytest.raises(ParameterError, match="has one coordinate"):
        figures.surface()
