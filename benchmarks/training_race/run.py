"""Measure fifty trainings at once against torch: `python -m benchmarks.training_race.run`.

The two-turn spiral of `thermograd demo`: 20 ReLU units, 500 points, minibatches of 25, 10,000
steps. On one side fifty walkers of one compiled run; on the other one training with an nn.Module
and torch.optim.Adam, whose seconds count fifty times. In turns, one thread, best of the rounds.
Seconds are those of the processor, which other programs on the machine do not lengthen much;
those of the clock stand beside them.
"""

import argparse
import datetime
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from thermograd import models, sample
from thermograd.noise import seeded
from thermograd.racing import Problem, published, spiral
from thermograd.sampling import Run

from ..speed.run import machine, versions

FOLDER = Path(__file__).parent
RUNS, STEPS = 50, 10_000
WALKERS = ("Adam", "AdLaLa", "LOL")
LOOPS = {"torch Adam": False, "torch Adam, fused": True}
RIVAL, OURS = "torch Adam", "Adam"


def compiled(problem: Problem, label: str, runs: int = RUNS) -> Run:
    """Return a run of a published entry, compiled and just begun."""
    chosen, network = published()[label].chosen(), problem.network()
    return sample(
        network,
        chosen.method,
        walkers=runs,
        steps=8,
        every=STEPS,
        seed=3,
        start=problem.positions(network, runs, seeded(4)),
        params=(),
        compile=True,
        progress=False,
        **chosen.arguments,
    )


def torch_loop(problem: Problem, steps: int, is_fused: bool) -> nn.Module:
    """Train one perceptron as a torch user would, and return it."""
    x, labels = problem.train
    y, batch = labels.to(x.dtype).unsqueeze(1), problem.batch_size or len(x)
    model = models.perceptron(2, 20, 1, generator=seeded(1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005, fused=is_fused)
    loss_of, generator = nn.BCEWithLogitsLoss(), seeded(2)
    for _ in range(steps):
        chosen = torch.randint(len(x), (batch,), generator=generator)
        optimizer.zero_grad()
        loss_of(model(x[chosen]), y[chosen]).backward()
        optimizer.step()
    return model


def measure(
    rounds: int, steps: int = STEPS, runs: int = RUNS
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the least seconds of processor and clock: fifty trainings here, one in torch."""
    problem = spiral()
    walkers = {label: compiled(problem, label, runs) for label in WALKERS}
    raced: dict[str, Callable[[], object]] = {
        **{
            label: lambda run=run: run.extend(steps, progress=False)
            for label, run in walkers.items()
        },
        **{
            label: lambda fused=fused: torch_loop(problem, steps, fused)
            for label, fused in LOOPS.items()
        },
    }
    best, clock = (dict.fromkeys(raced, float("inf")) for _ in range(2))
    for _ in range(rounds):
        for label, run in raced.items():
            began, shown = time.process_time(), time.perf_counter()
            run()
            best[label] = min(best[label], time.process_time() - began)
            clock[label] = min(clock[label], time.perf_counter() - shown)
    return best, clock


def main() -> None:
    """Measure and write results.json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    load = machine()["load"]
    seconds, clock = measure(asked.rounds)
    fastest = min(seconds[label] for label in LOOPS)
    result: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "load": [load, machine()["load"]],
        "threads": 1,
        "versions": versions(()),
        "rounds": asked.rounds,
        "runs": RUNS,
        "steps": STEPS,
        "seconds": seconds,
        "clock_seconds": clock,
        "ratio": RUNS * seconds[RIVAL] / seconds[OURS],
        "clock_ratio": RUNS * clock[RIVAL] / clock[OURS],
        "ratio_to_fastest": RUNS * fastest / seconds[OURS],
    }
    asked.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
