"""Measure the speed of diagnostics and write it down: `python -m benchmarks.diagnostics.run`."""

import argparse
import datetime
import json
import tempfile
from pathlib import Path
from typing import Any

import torch

from ..speed.run import machine, versions
from . import iat, surface

FOLDER = Path(__file__).parent


def main() -> None:
    """Run everything and write results.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        result: dict[str, Any] = {
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "machine": machine(),
            "versions": versions(()),
            "rounds": chosen.rounds,
            "iat": iat.measure(chosen.rounds, Path(folder)),
            "surface": surface.measure(chosen.rounds),
        }
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
