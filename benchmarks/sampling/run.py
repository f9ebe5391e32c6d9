"""Measure the speed of sampling and write it down: `python -m benchmarks.sampling.run`."""

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ..speed.run import machine, versions
from . import compiling, lenet, storing
from .table import render

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "sampling-speed-table.md"
SHARED_MEMORY = Path("/dev/shm")


def main() -> None:
    """Run everything, or what is asked for; write results.json and the documentation's table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--only", nargs="*", help="sections to measure again; the rest is kept")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # other libraries', about their own
    result: dict[str, Any] = json.loads(chosen.out.read_text()) if chosen.only else {}
    result |= {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions(("posteriors", "blackjax", "jax")),
    }
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        for name, measure in _sections(Path(folder), chosen.rounds).items():
            if not chosen.only or name in chosen.only:
                load = machine()["load"]
                result[name] = measure()
                how = {"rounds": chosen.rounds, "load": [load, machine()["load"]]}
                result.setdefault("measured", {})[name] = how
                print(name, json.dumps(result[name]), flush=True)
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    chosen.page.write_text(render(result), encoding="utf-8")


def _sections(folder: Path, rounds: int) -> dict[str, Callable[[], object]]:
    places = {"disk": folder} | ({"memory": SHARED_MEMORY} if SHARED_MEMORY.is_dir() else {})
    return {
        "walkers": lambda: [row for threads in (1, 2) for row in _walkers(threads, rounds)],
        "compiling": compiling.costs,
        "auto": lambda: compiling.auto(2),
        "lenet": lambda: lenet.rows(rounds),
        "writing": lambda: storing.writing(rounds, places),
        "memory": lambda: storing.memory(folder),
        "resuming": lambda: storing.resuming(folder),
    }


def _walkers(threads: int, rounds: int) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "benchmarks.sampling.walkers"]
    command += ["--threads", str(threads), "--rounds", str(rounds)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
