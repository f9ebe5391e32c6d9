"""The Markdown of the speed table, written from the record of a run."""

from typing import Any

Record = dict[str, Any]

LIMITS = {"gaussian_ratio": 1.2, "three_point_ratio": 2.0}


def render(result: Record) -> str:
    """Return docs/speed-table.md."""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    machine = result["machine"]
    return f"""<!-- written by `make bench`; do not edit -->

Measured on {result["date"]}: {versions}; {machine["cpu"]}, {machine["cores"]} cores,
{machine["threads"]} thread, load {machine["load"]:.1f}; best of {result["rounds"]} rounds in turns.

### One step of the optimizer alone

Microseconds. *Gaussian ratio* is `Langevin` with Gaussian noise over the time to draw that noise
with torch plus a fused step of SGD with momentum (aim: at most {LIMITS["gaussian_ratio"]});
*three-point ratio* is `Langevin` with three-point noise over a fused step of Adam (aim: at most
{LIMITS["three_point_ratio"]:g}).

{_optimizers(result["optimizers"])}

### One training step, gradient included

Perceptron 784-256-256-10, batch 64, cross-entropy.

{_training(result["training"])}
"""


def _optimizers(rows: list[Record]) -> str:
    names = list(rows[0]["microseconds"])
    head = ["parameters", "tensors", *names, "Gaussian ratio", "three-point ratio"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    for row in rows:
        cells = [f"{row['parameters']:,}", str(row["tensors"])]
        cells += [f"{row['microseconds'][name]:,.0f}" for name in names]
        cells += [f"**{row[ratio]:.2f}**" for ratio in LIMITS]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _training(rows: list[Record]) -> str:
    head = ["| method | microseconds | ratio to SGD |", "|---|---:|---:|"]
    lines = [
        f"| {row['method']} | {row['microseconds']:,.0f} | {row['ratio']:.2f} |" for row in rows
    ]
    return "\n".join(head + lines)
