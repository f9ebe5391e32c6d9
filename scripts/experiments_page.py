"""Writes docs/experiments.md from the last record of every experiment and its expected.toml.

`python scripts/experiments_page.py` writes; tests/experiments/test_page.py compares.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thermograd.experiments import Experiment, Row, compare, find

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "experiments.md"

HEAD = """# Experiments

Published experiments, run again. Each is a folder of `experiments/` with a `smoke()` of seconds,
which runs in the tests, and a `full()` of minutes, whose last record is shown here: what was
printed or is known from theory, what was measured, and whether the one is within the tolerance of
the other. The README of a folder gives the source, how the size was chosen, and how to read the
numbers.

This page is written by `python scripts/experiments_page.py` from the records, and a test compares.
"""
VERDICTS = {True: "as expected", False: "**off**", None: "not measured"}


def render(root: Path = ROOT / "experiments") -> str:
    """Return the page."""
    return "\n".join([HEAD, *(_section(experiment) for experiment in find(root))])


def _section(experiment: Experiment) -> str:
    lines = [f"## {experiment.summary}", "", f"`{experiment.name}`", ""]
    path = experiment.folder / "records.jsonl"
    if not path.is_file():
        return "\n".join([*lines, "No full run is recorded yet.", ""])
    record = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    figure = f"{experiment.name}.svg"
    if (PAGE.parent / figure).is_file():
        lines += [f"![{experiment.summary}]({figure})", ""]
    lines += [
        "| number | expected | measured | | expected because |",
        "| --- | --- | ---: | --- | --- |",
    ]
    lines += [_line(row) for row in compare(experiment.folder, record["measured"]) if _shown(row)]
    return "\n".join([*lines, "", _settings(record), ""])


def _shown(row: Row) -> bool:
    """Tell whether a row is for the full run."""
    return not row.reason.startswith("smoke only")


def _line(row: Row) -> str:
    measured = "–" if row.ok is None else f"{row.measured:.4g}"
    reason = row.reason.replace("|", "\\|")
    return f"| `{row.name}` | {row.expected} | {measured} | {VERDICTS[row.ok]} | {reason} |"


def _settings(record: Mapping[str, Any]) -> str:
    config = ", ".join(f"{name} {_plain(value)}" for name, value in record["config"].items())
    versions = ", ".join(f"{name} {value}" for name, value in record["versions"].items())
    seconds = f" {record['seconds']:.0f} s on a shared machine." if "seconds" in record else ""
    return f"Settings: {config}; seed {record['seed']}. With {versions}.{seconds}"


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{name} {_plain(entry)}" for name, entry in value.items()) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(_plain(entry) for entry in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
