"""The Markdown of the tables of constraints, written from the record of a run."""

from typing import Any

Record = dict[str, Any]

LIMIT = 1.6


def render(result: Record) -> str:
    """Return docs/constraints-table.md."""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    machine = result["machine"]
    return f"""<!-- written by `make bench`; do not edit -->

Measured on {result["date"]}: {versions}; {machine["cpu"]}, {machine["cores"]} cores,
{machine["threads"]} thread, load {machine["load"]:.1f}; best of {result["rounds"]} rounds in turns.
Times are of the processor, so that what else the machine does counts little.

### Circles and spheres

One step of the optimizer alone, with noise, as a ratio to `Langevin` with the same word on the same
tensors (aim: at most {LIMIT}). Rows have 100 weights, or 10 where a tensor has fewer than 1,000.

{_bounded(result["bounded"])}

### Orthogonal matrices

Milliseconds a step, and max |QᵀQ − I| after it, in float32, with gradients of norm 1 (*steep*: of
largest singular value 1). All but o-CoLod have momentum. `geotorch` and the canonical metric of
`geoopt` need a square matrix of the larger dimension, and are left out where that is thousands.

{_orthogonal(result["orthogonal"])}

The layers of ResNet-34, as matrices out × (in · height · width): {_shapes(result["resnet_34"])}.
"""


def _bounded(rows: list[Record]) -> str:
    names = list(rows[0]["ratios"])
    head = ["parameters", "tensors", "word", "Langevin, µs", *names]
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    for row in rows:
        cells = [f"{row['parameters']:,}", str(row["tensors"]), row["word"]]
        cells.append(f"{row['microseconds']['Langevin']:,.0f}")
        cells += [f"**{row['ratios'][name]:.2f}**" for name in names]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _orthogonal(rows: list[Record]) -> str:
    names = max((list(row["milliseconds"]) for row in rows), key=len)
    lines = ["| problem | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for row in rows:
        cells = [_cell(row, name) for name in names]
        lines.append(f"| {row['problem']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(row: Record, name: str) -> str:
    if name not in row["milliseconds"]:
        return "–"
    return f"{row['milliseconds'][name]:,.2f} ({row['residuals'][name]:.0e})"


def _shapes(shapes: list[list[int]]) -> str:
    counts: dict[str, int] = {}
    for high, wide in shapes:
        counts[f"{high} × {wide}"] = counts.get(f"{high} × {wide}", 0) + 1
    return ", ".join(f"{n} of {name}" if n > 1 else name for name, n in counts.items())
