"""The Markdown of the table of sampling speed, written from the record of a run."""

from collections.abc import Sequence
from typing import Any

Record = dict[str, Any]


def render(result: Record) -> str:
    """Return docs/sampling-speed-table.md."""
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    machine, memory = result["machine"], result["memory"]
    seen = memory["megabytes"]
    return f"""<!-- written by `make bench`; do not edit -->

Measured on {result["date"]}: {versions}; {machine["cpu"]}, {machine["cores"]} cores; best of
several rounds in turns. Each section was measured by itself:

{_measured(result["measured"])}

Where the load is above the number of cores others were running too: times are too long, and even
ratios may be off by half.

### Microseconds per walker-step

Perceptron 2-100-1 on 1,000 points, batches of 20 drawn for each walker, float32. *Ratio* is
thermograd over blackjax (aims: at most 1 from 32 walkers on, at most 3 for one walker).

{_walkers(result["walkers"])}

### Compiling

The same problem on one thread: microseconds per step of all walkers, seconds to compile, and the
number of steps after which they are earned back. The compiler keeps what it compiled in a cache of
its own, which may have served some of these.

{_compiling(result["compiling"])}

Whole runs, in seconds, with `compile="auto"` and without compiling (aim: ratio at most 1.10).

{_auto(result["auto"])}

### LeNet

28 × 28 inputs, batches of 128, one walker, one thread (aim: ratio at most 1.10).

{_lenet(result["lenet"])}

### Writing

Every step of 10,000 doubles recorded, microseconds per step. *Bytes alone* is the time to write as
many bytes to a file in the same place (aim: a share of at most 0.20).

{_writing(result["writing"])}

### Memory and resuming

Resident memory of a stored run of {memory["steps"]:,} steps: {seen[0]:.0f} MB after a tenth of it,
{seen[-1]:.0f} MB at the end. Until a stored run of so many draws stands ready to go on:

{_resuming(result["resuming"])}
"""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _measured(sections: dict[str, Record]) -> str:
    return _table(
        ["section", "rounds", "load before", "load after"],
        [
            [name, str(how["rounds"]), *(f"{load:.1f}" for load in how["load"])]
            for name, how in sections.items()
        ],
    )


def _walkers(rows: list[Record]) -> str:
    names = list(rows[0]["microseconds"])
    return _table(
        ["threads", "walkers", *names, "ratio"],
        [
            [str(row["threads"]), str(row["walkers"])]
            + [f"{row['microseconds'][name]:,.1f}" for name in names]
            + [f"**{row['ratio']:.2f}**"]
            for row in rows
        ],
    )


def _compiling(rows: list[Record]) -> str:
    return _table(
        ["walkers", "eager", "compiled", "seconds to compile", "pays after steps"],
        [
            [
                str(row["walkers"]),
                f"{row['eager']:,.0f}",
                f"{row['compiled']:,.0f}",
                f"{row['compile_seconds']:.1f}",
                f"{row['pays_after']:,}",
            ]
            for row in rows
        ],
    )


def _auto(rows: list[Record]) -> str:
    return _table(
        ["walkers", "steps", "auto", "eager", "ratio"],
        [
            [
                str(row["walkers"]),
                f"{row['steps']:,}",
                f"{row['auto']:.2f}",
                f"{row['eager']:.2f}",
                f"**{row['ratio']:.2f}**",
            ]
            for row in rows
        ],
    )


def _lenet(rows: list[Record]) -> str:
    return _table(
        ["method", "milliseconds per step", "ratio"],
        [[row["method"], f"{row['milliseconds']:.2f}", f"**{row['ratio']:.2f}**"] for row in rows],
    )


def _writing(rows: list[Record]) -> str:
    return _table(
        ["where", "step alone", "recorded", "bytes alone", "share of the run"],
        [
            [
                row["where"],
                f"{row['step']:.0f}",
                f"{row['recorded']:.0f}",
                f"{row['bytes_alone']:.0f}",
                f"**{row['share']:.2f}**",
            ]
            for row in rows
        ],
    )


def _resuming(rows: list[Record]) -> str:
    return _table(
        ["draws", "seconds"], [[f"{row['draws']:,}", f"{row['seconds']:.2f}"] for row in rows]
    )
