"""One HTML file about one or more runs, that needs no network and no other file.

What was run, whether it samples what was asked, temperatures, traces, autocorrelation, landscape
and prediction, several runs side by side. plotly.js stands in it once, whole. Every text that
comes from a run is escaped, and the page's content policy allows its own two scripts only.
"""

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from .._checks import require
from .._errors import MissingExtraError, ParameterError, StoreError
from ._html import Html, joined, node
from ._look import SCRIPT, STYLE
from ._sections import TITLES, Page, sections
from .record import RunRecord, read_record

__all__ = ["read_records", "report_text", "write_report"]


def write_report(
    folders: Sequence[str | Path],
    out: str | Path = "report.html",
    *,
    has_targets: bool = True,
    overwrite: bool = False,
) -> Path:
    """Write the report on the runs in some folders.

    Args:
        folders: of the runs.
        out: the file.
        has_targets: whether to build the runs' targets again, for landscape and prediction; that
            imports the models that their configurations name.
        overwrite: whether the file may exist.

    Returns:
        the file.

    Raises:
        StoreError: if a run cannot be read, or the file cannot be written.
    """
    path = Path(out)
    if path.is_dir():
        raise ParameterError(f"{path} is a folder; name a file, such as {path / 'report.html'}")
    if path.exists() and not overwrite:
        raise StoreError(f"{path} exists already; choose another name, or let it be replaced")
    text = report_text(read_records(folders), has_targets=has_targets)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    return path


def read_records(folders: Sequence[str | Path]) -> list[RunRecord]:
    """Read runs, each under a name of its own: the folder's, or the path where that is not one.

    Args:
        folders: of the runs.
    """
    paths = [Path(folder) for folder in folders]
    require(bool(paths), "folders", "read_records", "one or more", folders)
    resolved = [path.resolve() for path in paths]
    for path, count in Counter(resolved).items():
        if count > 1:
            raise ParameterError(f"the run {path} is named {count} times")
    names = Counter(path.name for path in resolved)
    return [
        read_record(path, own.name if names[own.name] == 1 else str(path))
        for path, own in zip(paths, resolved, strict=True)
    ]


def report_text(runs: Sequence[RunRecord], *, has_targets: bool = True) -> str:
    """Return the report as HTML.

    Args:
        runs: the records.
        has_targets: as in `write_report`.

    Raises:
        MissingExtraError: without plotly.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise MissingExtraError(
            "a report needs plotly; install it with pip install 'thermograd[analysis]'"
        ) from error
    page = Page.of(runs, has_targets)
    body = _body(runs, sections(page))
    figures = json.dumps(page.figures, allow_nan=False).replace("<", "\\u003c")
    scripts = (get_plotlyjs().replace("</script", "<\\/script"), SCRIPT)
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; "
        f"script-src 'unsafe-eval' {' '.join(map(_hash, scripts))}"
    )
    title = f"thermograd: {', '.join(run.name for run in runs)}"
    head = node(
        "head",
        node("meta", charset="utf-8"),
        node("meta", http_equiv="Content-Security-Policy", content=policy),
        node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        node("meta", name="color-scheme", content="light dark"),
        node("title", title),
        node("style", Html(STYLE)),
    )
    data = node("script", Html(figures), type="application/json", id="figures")
    tail = joined([data, *(node("script", Html(script)) for script in scripts)])
    return f"<!doctype html>\n{node('html', head, node('body', body, tail), lang='en')}\n"


def _body(runs: Sequence[RunRecord], content: Html) -> Html:
    from .. import __version__

    count = "one run" if len(runs) == 1 else f"{len(runs)} runs"
    methods = ", ".join(
        dict.fromkeys(f"{run.run['method']} on {run.target['kind']}" for run in runs)
    )
    links = [node("a", title, href=f"#{name}") for name, title in TITLES.items()]
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return joined(
        [
            node(
                "header", node("h1", f"Report on {count}"), node("p", methods), node("nav", *links)
            ),
            node("main", content),
            node("footer", f"Written by thermograd {__version__}, {when}. Needs no network."),
        ]
    )


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
