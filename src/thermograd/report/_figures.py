"""Figures for plotly.js as plain data. Colours are tokens that the page fills in, light or dark.

"@0" to "@5" are the series, "@ink", "@muted" and "@grid" what is around them; "@0/0.2" is seen
through.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ..diagnostics.estimate import Array
from ..diagnostics.prediction import Reliability
from ..plots.records import Trace
from ._html import label
from .landscape import Landscape
from .verdict import Temperature

Figure: TypeAlias = dict[str, object]

COLOURS = 6
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star")
DASHES = ("solid", "dash", "dot", "dashdot")


def plain(values: Array) -> list[float | None]:
    """Return numbers for JSON, five digits each, None where they are not finite."""
    return [float(f"{value:.5g}") if np.isfinite(value) else None for value in values.ravel()]


def draw_traces(
    runs: Mapping[str, Trace], wanted: Mapping[str, float], title: str, places: Mapping[str, int]
) -> Figure:
    """Draw one number of several runs over the steps, with the range over walkers.

    Args:
        runs: what each run recorded.
        wanted: what the average should be, by run; may lack some.
        title: of the vertical axis.
        places: of the runs on the page, which set their colours.
    """
    data = [
        one for name, trace in runs.items() for one in _band_and_line(name, trace, places[name])
    ]
    shapes = [_level(value) for value in sorted(set(wanted.values()))]
    layout = {"xaxis": {"title": {"text": "step"}}, "yaxis": {"title": {"text": title}}}
    return {"data": data, "layout": {**layout, "shapes": shapes}, "height": 320}


def _band_and_line(name: str, trace: Trace, place: int) -> list[Figure]:
    colour, steps = f"@{place % COLOURS}", plain(trace.steps)
    quiet = {
        "x": steps,
        "mode": "lines",
        "line": {"width": 0},
        "showlegend": False,
        "hoverinfo": "skip",
        "legendgroup": str(place),
    }
    line = {"color": colour, "width": 1.6, "dash": DASHES[(place // COLOURS) % len(DASHES)]}
    mean = {"x": steps, "y": plain(trace.mean), "mode": "lines", "line": line}
    return [
        {**quiet, "y": plain(trace.low)},
        {**quiet, "y": plain(trace.high), "fill": "tonexty", "fillcolor": f"{colour}/0.16"},
        {**mean, "name": label(name), "legendgroup": str(place), "showlegend": True},
    ]


def draw_temperatures(runs: Mapping[str, Sequence[Temperature]], asked: Sequence[float]) -> Figure:
    """Draw each position's temperatures with their bands, of several runs."""
    data: list[Figure] = []
    for number, (name, found) in enumerate(runs.items()):
        for kind, filled in (("kinetic", True), ("configurational", False)):
            own = [entry for entry in found if entry.kind == kind]
            if own:
                data.append(_points(number, f"{name}, {kind}", own, filled))
    ends = [entry.high for found in runs.values() for entry in found if entry.high == entry.high]
    values = [e.value for found in runs.values() for e in found if e.kind == "kinetic"]
    top = max([*asked, *ends, *values])
    layout = {
        "xaxis": {"title": {"text": "positions"}, "type": "category"},
        "yaxis": {"title": {"text": "temperature"}, "range": [0.0, 1.1 * top]},
        "shapes": [_level(value) for value in sorted(set(asked))],
        "scattermode": "group",
    }
    return {"data": data, "layout": layout, "height": 340}


def _points(number: int, name: str, own: Sequence[Temperature], filled: bool) -> Figure:
    symbol = SYMBOLS[number % len(SYMBOLS)]
    points: Figure = {
        "x": [label(entry.name) for entry in own],
        "y": plain(np.array([entry.value for entry in own])),
        "mode": "markers",
        "name": label(name),
        "offsetgroup": str(number),
        "marker": {
            "color": f"@{number % COLOURS}",
            "size": 9,
            "symbol": symbol if filled else f"{symbol}-open",
        },
    }
    if filled:  # the band, as bars about the value
        points["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": plain(np.array([max(0.0, entry.high - entry.value) for entry in own])),
            "arrayminus": plain(np.array([max(0.0, entry.value - entry.low) for entry in own])),
            "color": f"@{number % COLOURS}/0.5",
            "thickness": 1.2,
            "width": 4,
        }
    return points


def draw_landscape(found: Landscape) -> Figure:
    """Draw a surface that turns, with the draws on it; a line for one coordinate."""
    surface, spots = found.surface, found.draws.coordinates
    if len(surface.y) == 1:
        return _draw_line(found)
    sheet = {
        "type": "surface",
        "x": plain(surface.x),
        "y": plain(surface.y),
        "z": [plain(row) for row in surface.loss.value],
        "colorscale": "Cividis",
        "opacity": 0.92,
        "colorbar": {"thickness": 10, "len": 0.6, "outlinewidth": 0},
        "contours": {"z": {"show": True, "usecolormap": False, "color": "@ink/0.25", "width": 1}},
        "hovertemplate": "a %{x:.3g}, b %{y:.3g}<br>%{z:.4g}<extra></extra>",
    }
    dots = {
        "type": "scatter3d",
        "mode": "markers",
        "x": plain(spots[:, 0]),
        "y": plain(spots[:, 1]),
        "z": plain(found.heights + 0.01 * float(np.ptp(surface.loss.value))),
        "marker": {"color": "@1", "size": 2.6, "opacity": 0.85},
        "hoverinfo": "skip",
    }
    scene = {f"{axis}axis": _labelled(text) for axis, text in zip("xyz", "abf", strict=True)}
    scene["camera"] = {"eye": {"x": 1.4, "y": -1.7, "z": 1.05}}
    scene |= {"aspectmode": "manual", "aspectratio": {"x": 1.1, "y": 1.1, "z": 0.7}}
    return {"data": [sheet, dots], "layout": {"scene": scene}, "height": 460}


def _draw_line(found: Landscape) -> Figure:
    line = {"x": plain(found.surface.x), "y": plain(found.surface.loss.value), "mode": "lines"}
    dots = {"x": plain(found.draws.coordinates[:, 0]), "y": plain(found.heights)}
    marker = {"color": "@1", "size": 6, "opacity": 0.5}
    data = [
        {**line, "line": {"color": "@0", "width": 2}, "name": found.about},
        {**dots, "mode": "markers", "marker": marker, "name": "draws"},
    ]
    layout = {
        "xaxis": {"title": {"text": "from the mean of the draws"}},
        "yaxis": {"title": {"text": found.about}},
    }
    return {"data": data, "layout": layout, "height": 460}


def draw_reliability(runs: Mapping[str, Reliability], places: Mapping[str, int]) -> Figure:
    """Draw accuracy against confidence, with one standard error, of several runs."""
    data: list[Figure] = [
        {
            "x": [0, 1],
            "y": [0, 1],
            "mode": "lines",
            "line": {"color": "@muted", "width": 1, "dash": "dot"},
            "name": "calibrated",
            "hoverinfo": "skip",
        }
    ]
    for name, found in runs.items():
        filled, number = found.counts > 0, places[name]
        colour = f"@{number % COLOURS}"
        bars = {"type": "data", "array": plain(found.accuracy.uncertainty[filled])}
        data.append(
            {
                "x": plain(found.confidence[filled]),
                "y": plain(found.accuracy.value[filled]),
                "error_y": {**bars, "color": f"{colour}/0.5", "thickness": 1.2, "width": 3},
                "mode": "lines+markers",
                "line": {"color": colour, "width": 1.4},
                "marker": {"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 8, "color": colour},
                "name": label(name),
            }
        )
    layout = {
        "xaxis": {"title": {"text": "confidence"}, "range": [0, 1.02]},
        "yaxis": {"title": {"text": "accuracy"}, "range": [0, 1.05]},
    }
    return {"data": data, "layout": layout, "height": 360}


def _labelled(text: str) -> Figure:
    return {"title": {"text": text}, "tickfont": {"size": 11}, "nticks": 5}


def _level(value: float) -> Figure:
    line = {"color": "@muted", "width": 1.2, "dash": "dash"}
    place = {"xref": "paper", "x0": 0, "x1": 1, "y0": value, "y1": value}
    return {"type": "line", **place, "line": line, "layer": "below"}
