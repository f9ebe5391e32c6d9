"""Microseconds per walker-step of each library, in turns, best of several rounds.

    python -m benchmarks.sampling.walkers --threads 1      prints rows as JSON

One process for each number of threads: jax takes its own from the environment, once.
"""

import argparse
import json
import os
import time
import warnings
from typing import Any

import torch

from .libraries import BLACKJAX, THERMOGRAD, entries
from .problem import WIDTHS

Row = dict[str, Any]
LENGTHS = {1: 4000, 8: 2000, 32: 2000, 128: 1000}
SLOW = ("posteriors", "plain")  # these take a tenth of the steps


def rows(rounds: int, threads: int) -> list[Row]:
    """Return a row for each width: microseconds by library, and ours over blackjax's."""
    found: list[Row] = []
    for width in WIDTHS:
        best = fastest(width, rounds)
        found.append(
            {
                "threads": threads,
                "walkers": width,
                "microseconds": best,
                "ratio": best[THERMOGRAD] / best[BLACKJAX],
            }
        )
    return found


def fastest(width: int, rounds: int) -> dict[str, float]:
    """Race the libraries at one width."""
    raced = entries(width)
    length = {name: LENGTHS[width] // (10 if name.startswith(SLOW) else 1) for name in raced}
    for name, advance in raced.items():
        advance(length[name])
    best = dict.fromkeys(raced, float("inf"))
    for _ in range(rounds):
        for name, advance in raced.items():
            began = time.perf_counter()
            advance(length[name])
            seconds = time.perf_counter() - began
            best[name] = min(best[name], 1e6 * seconds / length[name] / width)
    return best


def main() -> None:
    """Print the rows for one number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    chosen = parser.parse_args()
    if chosen.threads == 1:
        os.environ["XLA_FLAGS"] = (
            "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        )
    torch.set_num_threads(chosen.threads)
    warnings.simplefilter("ignore")
    print(json.dumps(rows(chosen.rounds, chosen.threads)))


if __name__ == "__main__":
    main()
