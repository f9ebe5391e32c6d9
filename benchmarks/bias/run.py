"""Measure the bias of every sampler and write it down: `python -m benchmarks.bias.run`."""

import argparse
import datetime
import json
import math
import time
import warnings
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from ..speed.run import machine, versions
from . import own, rows
from .figure import draw
from .settings import TARGETS, Settings
from .table import render
from .verdict import describe

FOLDER = Path(__file__).parent
DOCS = FOLDER.parents[1] / "docs"


def main() -> None:
    """Measure, write results.json, the table and the figure of the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    parser.add_argument("--docs", type=Path, default=DOCS)
    parser.add_argument("--only", choices=["own", "posteriors", "blackjax", "geoopt"], default=None)
    parser.add_argument("--again", action="store_true", help="evaluate results.json anew")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    if chosen.again:
        result = json.loads(chosen.out.read_text(encoding="utf-8"))
        for row in result["rows"]:
            describe(row)
        mine = [row for row in result["rows"] if row["library"] == own.LIBRARY]
        rows.explain(mine, Settings(**result["settings"]))
        result["rows"] = _plain(result["rows"])
    else:
        result = measure(Settings(), chosen.only)
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    chosen.docs.joinpath("bias-table.md").write_text(render(result), encoding="utf-8")
    draw(result, chosen.docs / "bias.svg")
    lost = [row for row in result["rows"] if row.get("is_explained") is False]
    for row in lost:
        print("not explained:", row["method"], row["target"], "noisy" * row["is_noisy"])
    raise SystemExit(bool(lost))


def measure(settings: Settings, only: str | None = None) -> dict[str, Any]:
    """Return the record of a run."""
    started = time.perf_counter()
    found: list[dict[str, Any]] = []

    def progress(row: dict[str, Any]) -> None:
        seconds = time.perf_counter() - started
        noise = "noisy gradient" if row["is_noisy"] else ""
        print(f"{seconds:6.0f} s  {row['library']:12}{row['method']:26}{row['target']:13}{noise}")

    if only in (None, "own"):
        found += rows.own_rows(settings, progress)
    found += _peer_rows(settings, only, progress)
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "seconds": round(time.perf_counter() - started),
        "versions": versions(("posteriors", "blackjax", "jax", "jaxlib", "geoopt")),
        "settings": asdict(settings),
        "targets": {name: repr(target) for name, target in TARGETS.items()},
        "samplers": own.samplers(),
        "rows": [_plain(row) for row in found],
    }


def _peer_rows(settings: Settings, only: str | None, progress: Any) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peers' imports; they are not ours to mend
        from . import peer_blackjax, peer_geoopt, peer_posteriors

        found: list[dict[str, Any]] = []
        for module in (peer_posteriors, peer_blackjax, peer_geoopt):
            if only in (None, module.LIBRARY):
                found += module.rows(settings, progress)
    return found


def _plain(value: Any) -> Any:
    """Round to what the numbers can say, and write NaN as null."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


if __name__ == "__main__":
    main()
