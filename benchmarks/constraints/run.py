"""Measure what constraints cost and write it down: `python -m benchmarks.constraints.run`."""

import argparse
import datetime
import json
from pathlib import Path
from typing import Any

import torch

from benchmarks.speed.run import machine, versions

from . import bounded, orthogonal
from .table import render

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "constraints-table.md"
PEERS = ("geoopt", "geotorch")


def main() -> None:
    """Run both races, write results.json and the table of the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    parser.add_argument("--page", type=Path, default=PAGE)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    result: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "rounds": chosen.rounds,
        "versions": versions(PEERS),
        "bounded": bounded.rows(chosen.rounds),
        "orthogonal": orthogonal.rows(chosen.rounds),
        "resnet_34": [list(shape) for shape in orthogonal.RESNET_34],
    }
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    page = render(result)
    chosen.page.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
