"""The sections of the page, each a heading, words, tables and places for figures."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..plots.records import Trace
from . import _figures
from ._figures import Figure
from ._html import Html, joined, node, table
from .correlation import CorrelationRow, correlation_table
from .landscape import landscape_of
from .prediction import Prediction, prediction_of
from .record import RunRecord
from .subject import Absent, Subject, rebuild
from .traces import traces
from .verdict import Finding, overall, temperatures, verdict

TITLES: Mapping[str, str] = {
    "settings": "What was run",
    "verdict": "Is it sampling?",
    "temperatures": "Temperatures",
    "traces": "Traces",
    "correlation": "Autocorrelation",
    "landscape": "Landscape",
    "prediction": "Prediction",
}
NO_TARGET = Absent("the report was asked not to build the targets again (--no-target)")


@dataclass(slots=True)
class Page:
    """What the sections are made of, and the figures they ask for.

    Attributes:
        runs: the records.
        subjects: their targets, in the same order.
        figures: asked for so far.
    """

    runs: Sequence[RunRecord]
    subjects: Sequence[Subject | Absent]
    figures: list[Figure] = field(default_factory=list[Figure])

    @classmethod
    def of(cls, runs: Sequence[RunRecord], has_targets: bool) -> "Page":
        """Build the targets again, if that is wanted."""
        return cls(runs, [rebuild(run) if has_targets else NO_TARGET for run in runs])

    def figure(self, figure: Figure, says: str) -> Html:
        """Ask for a figure, and return its place."""
        self.figures.append(figure)
        place = f"figure-{len(self.figures) - 1}"
        height = f"min-height:{figure['height']}px"
        return node("div", id=place, class_="figure", role="img", aria_label=says, style=height)


def sections(page: Page) -> Html:
    """Return all sections."""
    makers: Mapping[str, Callable[[Page], Html]] = {
        "settings": _settings,
        "verdict": _verdict,
        "temperatures": _temperatures,
        "traces": _traces,
        "correlation": _correlation,
        "landscape": _landscape,
        "prediction": _prediction,
    }
    return joined(
        [
            node("section", node("h2", TITLES[name]), make(page), id=name)
            for name, make in makers.items()
        ]
    )


def number(value: float, digits: int = 4) -> str:
    """Return a number as a cell; a dash where there is none."""
    return f"{value:.{digits}g}" if math.isfinite(value) else "–"


def _cards(page: Page, make: Callable[[RunRecord, int], Html]) -> Html:
    cards = [
        node("div", node("h3", run.name), make(run, place), class_="card")
        for place, run in enumerate(page.runs)
    ]
    return node("div", *cards, class_="grid")


def _settings(page: Page) -> Html:
    flat = [_flat(run.tables) for run in page.runs]
    keys = list(dict.fromkeys(key for one in flat for key in one))
    rows: list[Html] = []
    for key in keys:
        values = [one.get(key, "–") for one in flat]
        cells = joined([node("td", cell) for cell in (key, *values)])
        is_one = len(set(values)) == 1
        rows.append(node("tr", cells) if is_one else node("tr", cells, class_="differs"))
    head = node("thead", node("tr", *(node("th", n) for n in ("", *(r.name for r in page.runs)))))
    whole = node("div", node("table", head, node("tbody", *rows)), class_="scroll")
    said = "≠ marks what differs between the runs." if len(page.runs) > 1 else ""
    return joined([node("p", said, class_="muted") if said else "", whole])


def _flat(tables: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    return {
        f"{name}.{key}": _spelled(value)
        for name, table_ in tables.items()
        for key, value in table_.items()
        if name != "origin" and (name, key) != ("target", "fingerprint")
    }


def _spelled(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:g}"
    return json.dumps(value, ensure_ascii=False, default=str)


def _verdict(page: Page) -> Html:
    def card(run: RunRecord, place: int) -> Html:
        found = verdict(run)
        whole = overall(found, run)
        checks = node("ul", *map(_check, found), class_="checks")
        return joined([node("p", whole.says, class_=f"verdict {whole.status}"), checks, _said(run)])

    return _cards(page, card)


def _check(found: Finding) -> Html:
    hint = node("div", found.hint, class_="hint") if found.hint else ""
    return node("li", node("b", found.check), f": {found.says}", hint, class_=found.status)


def _said(run: RunRecord) -> Html:
    """Return everything the run said, in order."""
    lines = [
        node("li", f"step {event.get('step')}: {event['says']}")
        for event in run.events
        if "says" in event
    ]
    if not lines:
        return Html("")
    return node("details", node("summary", "All that the run said"), node("ul", *lines))


def _temperatures(page: Page) -> Html:
    found = {run.name: temperatures(run) for run in page.runs}
    if not any(found.values()):
        said = "No run has measured temperatures: that needs T > 0 and a run that has finished."
        return node("p", said)
    drawn = _figures.draw_temperatures(found, [run.temperature for run in page.runs])
    rows = [
        (name, entry.name, entry.kind, number(entry.value), _band(entry.low, entry.high))
        for name, entries in found.items()
        for entry in entries
    ]
    said = (
        "Measured over the walkers at the last step. Bars are the bands in which a kinetic "
        "temperature should be, with a false alarm of 1e-6; dashed is what was asked for. "
        "What lies off the figure is in the table."
    )
    cells = table(("run", "positions", "kind", "temperature", "band"), rows, 3)
    more = node("details", node("summary", "As a table"), cells)
    return joined([node("p", said, class_="muted"), page.figure(drawn, "temperatures"), more])


def _band(low: float, high: float) -> str:
    return f"{number(low, 3)} to {number(high, 3)}" if math.isfinite(low) else "–"


def _traces(page: Page) -> Html:
    found = {run.name: {trace.name: trace for trace in traces(run)} for run in page.runs}
    names = list(dict.fromkeys(name for own in found.values() for name in own))
    names.sort(key=lambda name: (name != "potential", "temperature" not in name, name))
    said = (
        "Averages over blocks of draws and over the walkers; shaded from lowest to highest walker."
    )
    parts = [node("p", said, class_="muted")]
    for name in names:
        for group in _comparable(page, name, found):
            own: dict[str, Trace] = {run.name: found[run.name][name] for run in group}
            wanted = {run.name: run.summary[name].expected for run in group}
            known = {run: value for run, value in wanted.items() if value is not None}
            title = "potential U" if name == "potential" else name.replace("_", " ")
            drawn = _figures.draw_traces(own, known, title, _places(page))
            parts.append(page.figure(drawn, f"trace of {name}"))
    return joined(parts)


def _places(page: Page) -> dict[str, int]:
    return {run.name: place for place, run in enumerate(page.runs)}


def _comparable(
    page: Page, name: str, found: Mapping[str, Mapping[str, Trace]]
) -> list[list[RunRecord]]:
    """Return the runs that recorded a number, by target where that sets its scale."""
    groups: dict[str, list[RunRecord]] = {}
    for run in page.runs:
        if name in found[run.name]:
            same = {key: run.target.get(key) for key in ("kind", "num_params")}
            scale = "" if "temperature" in name else str(same)
            groups.setdefault(scale, []).append(run)
    return list(groups.values())


def _correlation(page: Page) -> Html:
    rows = [(run.name, row) for run in page.runs for row in correlation_table(run)]
    header = ("run", "series", "mean", "± s.e.", "time in draws", "effective draws", "R-hat")
    said = (
        "The integrated autocorrelation time with its standard error. A walker of fewer than 50 "
        "times gives a bound and no number. R-hat is 1 where the walkers agree."
    )
    cells = [
        (
            name,
            row.name,
            number(row.mean),
            number(row.error, 2),
            _time(row),
            _effective(row),
            number(row.r_hat),
        )
        for name, row in rows
    ]
    return joined([node("p", said, class_="muted"), table(header, cells, 2)])


def _time(row: CorrelationRow) -> str:
    if math.isfinite(row.at_least):
        return f"≥ {number(row.at_least)}"
    if not math.isfinite(row.time):
        return "constant"
    return f"{number(row.time)} ± {number(row.time_error, 2)}"


def _effective(row: CorrelationRow) -> str:
    return f"{row.effective:,.0f}" if math.isfinite(row.effective) else "–"


def _landscape(page: Page) -> Html:
    def card(run: RunRecord, place: int) -> Html:
        found = landscape_of(run, page.subjects[place])
        if isinstance(found, Absent):
            return node("p", f"No landscape: {found.reason}.")
        along = "a and b" if len(found.shares) > 1 else "its one coordinate"
        shares = " and ".join(f"{share:.0%}" for share in found.shares)
        drawn = page.figure(_figures.draw_landscape(found), f"landscape of {run.name}")
        said = f"f is {found.about}. The variance of the draws along {along}: {shares}."
        return joined([drawn, node("p", said, class_="muted")])

    said = (
        "Around the mean of the draws, along the directions in which they spread most. Dots are "
        "draws, put down on the surface where they are seen from above; turn it by dragging."
    )
    return joined([node("p", said, class_="muted"), _cards(page, card)])


def _prediction(page: Page) -> Html:
    pairs = zip(page.runs, page.subjects, strict=True)
    found = {run.name: prediction_of(run, subject) for run, subject in pairs}
    scored = {name: one for name, one in found.items() if isinstance(one, Prediction)}
    parts = [
        node("p", node("b", name), f": no scores, for {one.reason}.")
        for name, one in found.items()
        if isinstance(one, Absent)
    ]
    if not scored:
        return joined(parts)
    header = ("run", "score", "averaged", "± s.e.", "one draw alone", "rows", "draws")
    rows = [
        (
            name,
            score.name,
            number(score.averaged),
            number(score.error, 2),
            number(score.single),
            f"{one.num_rows:,}",
            str(one.num_draws),
        )
        for name, one in scored.items()
        for score in one.scores
    ]
    said = "Of rows that were held out: predictions averaged over draws, and one draw alone."
    diagrams = {
        name: one.reliability for name, one in scored.items() if one.reliability is not None
    }
    parts = [node("p", said, class_="muted"), table(header, rows, 2), *parts]
    if diagrams:
        drawn = page.figure(
            _figures.draw_reliability(diagrams, _places(page)), "reliability diagram"
        )
        parts += [node("h3", "Reliability: accuracy against confidence"), drawn]
    return joined(parts)
