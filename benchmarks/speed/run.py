"""Measure speed and write it down: `python -m benchmarks.speed.run`."""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from . import optimizers, training
from .table import render

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "speed-table.md"


def main() -> None:
    """Run both races, write results.json and the table of the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    parser.add_argument("--page", type=Path, default=PAGE)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    result: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "rounds": chosen.rounds,
        "versions": versions(),
        "optimizers": optimizers.rows(chosen.rounds),
        "training": training.rows(chosen.rounds),
    }
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    page = render(result)
    chosen.page.write_text(page, encoding="utf-8")
    print(page)


def machine() -> dict[str, Any]:
    """Say what this ran on."""
    info = Path("/proc/cpuinfo")
    names = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    model = next((line.split(":")[1].strip() for line in names if "model name" in line), "")
    return {
        "cpu": model or platform.processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load": os.getloadavg()[0],
    }


def versions(peers: Iterable[str] = ("posteriors",)) -> dict[str, str]:
    """Return the versions of what took part."""
    found = {"python": platform.python_version()}
    for name in ("thermograd", "torch", "numpy", *peers):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


if __name__ == "__main__":
    main()
