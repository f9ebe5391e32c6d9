"""What compiling costs, when it pays, and whether `compile="auto"` is ever a bad choice."""

import time
from typing import Any

from .libraries import own_run

Record = dict[str, Any]
COSTS = (1, 8, 32)
RUNS = ((1, 300), (8, 300), (8, 6000))


def costs(steps: int = 300) -> list[Record]:
    """Return microseconds per step, seconds to compile, and the steps after which it has paid."""
    found: list[Record] = []
    for walkers in COSTS:
        eager = own_run(walkers, 10, compile=False)
        began = time.perf_counter()
        compiled = own_run(walkers, 10, compile=True)
        seconds = time.perf_counter() - began
        best: dict[str, float] = {"eager": float("inf"), "compiled": float("inf")}
        for _ in range(3):
            for name, run in (("eager", eager), ("compiled", compiled)):
                began = time.perf_counter()
                run.extend(steps, progress=False)
                best[name] = min(best[name], (time.perf_counter() - began) / steps)
        found.append(
            {
                "walkers": walkers,
                "eager": 1e6 * best["eager"],
                "compiled": 1e6 * best["compiled"],
                "compile_seconds": seconds,
                "pays_after": round(seconds / (best["eager"] - best["compiled"])),
            }
        )
    return found


def auto(rounds: int) -> list[Record]:
    """Return end-to-end seconds of whole runs with "auto" and without compiling."""
    found: list[Record] = []
    for walkers, steps in RUNS:
        best = {"auto": float("inf"), "eager": float("inf")}
        for _ in range(rounds):
            for name, mode in (("auto", "auto"), ("eager", False)):
                began = time.perf_counter()
                own_run(walkers, steps, compile=mode)
                best[name] = min(best[name], time.perf_counter() - began)
        ratio = best["auto"] / best["eager"]
        found.append({"walkers": walkers, "steps": steps, **best, "ratio": ratio})
    return found
