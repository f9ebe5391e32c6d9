"""The page of `thermograd demo`: one HTML file with the figure in it."""

import base64
import html
from collections.abc import Sequence
from pathlib import Path

STYLE = """
body { margin: 2.5rem auto; max-width: 68rem; padding: 0 1.2rem; color: #222; background: #fff;
  font: 1rem/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin-bottom: .4rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .4rem; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem 1.1rem .35rem 0; text-align: right; border-bottom: 1px solid #dde1e6; }
th { font-weight: 600; color: #555; }
th:first-child, td:first-child, td.words, th.words { text-align: left; }
th, td { white-space: nowrap; }
td.words { white-space: normal; }
td:first-child { font-weight: 600; }
img { width: 100%; height: auto; margin: .6rem 0; }
p.small { color: #555; font-size: .9rem; }
""".strip()


def page(
    title: str,
    intro: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    figure: Path | None,
    findings: Sequence[str],
    notes: Sequence[str],
) -> str:
    """Return the page.

    Args:
        title: of the page.
        intro: what is shown.
        header: of the table; the last column holds words.
        rows: of the table.
        figure: a PNG file; none where it could not be drawn.
        findings: a sentence each.
        notes: small print.
    """
    head = "".join(_cell("th", text, number, len(header)) for number, text in enumerate(header))
    body = "\n".join(
        f"<tr>{''.join(_cell('td', cell, n, len(row)) for n, cell in enumerate(row))}</tr>"
        for row in rows
    )
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{html.escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>",
            f"<h1>{html.escape(title)}</h1>\n<p>{html.escape(intro)}</p>",
            f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>",
            _image(figure),
            "<h2>Differences</h2>\n<ul>",
            *(f"<li>{html.escape(finding)}</li>" for finding in findings),
            "</ul>",
            *(f'<p class="small">{html.escape(note)}</p>' for note in notes),
            "</body>\n</html>\n",
        ]
    )


def _cell(tag: str, text: str, number: int, count: int) -> str:
    kind = ' class="words"' if number == count - 1 else ""
    return f"<{tag}{kind}>{html.escape(text)}</{tag}>"


def _image(figure: Path | None) -> str:
    if figure is None:
        return "<p>The figure needs matplotlib: pip install 'thermograd[analysis]'</p>"
    data = base64.b64encode(figure.read_bytes()).decode("ascii")
    said = "Classifiers of the median and the worst run of each method; loss and accuracy curves."
    return f'<img alt="{said}" src="data:image/png;base64,{data}">'
