"""Measure a step of fine-tuning on two time scales: `python -m benchmarks.multirate.run`."""

import argparse
import datetime
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from ..speed.run import machine, versions
from .timing import Setting, rows

FOLDER = Path(__file__).parent


def main() -> None:
    """Run the race, write results.json, and print measured beside predicted ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    setting = Setting(chosen.width, chosen.batch)
    result: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions(()),
        "rounds": chosen.rounds,
        "setting": asdict(setting),
        "rows": rows(setting, chosen.rounds),
    }
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(table(result))


def table(result: dict[str, Any]) -> str:
    """Return the rows as a table in Markdown."""
    lines = ["| fast part | measured | predicted (5.6) |", "| --- | --- | --- |"]
    lines += [
        f"| {row['fast']} | {row['measured ratio']:.2f} | {row['predicted ratio']:.2f} |"
        for row in result["rows"]
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
