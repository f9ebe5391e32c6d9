"""Spread of the test accuracy between runs on the two-turn spiral, after Figure 3.14."""

from vlaar_ch3_common.problems import numbers

from thermograd.experiments import Result
from thermograd.racing import Entry, equal_budget, published, spiral
from thermograd.racing.problem import Start
from thermograd.sampling.stepping import Compile

RUNS, GRADIENTS, SEED = 100, 20_000, 0
STARTS: dict[str, Start] = {"normal": 0.01, "default": "reset"}


def entries(start: str) -> dict[str, Entry]:
    """Return what the figure has from a start."""
    found = published()
    both = {"adam": found["Adam"], "adlala": found["AdLaLa"]}
    sgd = found["SGD"].with_settings({"step_size": 0.25})
    return {**both, "sgd": sgd, "lol": found["LOL"]} if start == "normal" else both


def measure(runs: int, gradients: int, compile: Compile, seed: int) -> Result:
    """Return mean and standard deviation of each method, at the end and half way."""
    measured: dict[str, float] = {}
    for start, chosen in STARTS.items():
        problem = spiral(batch_size=10, start=chosen, seed=seed)
        race = equal_budget(
            entries(start),
            problem,
            runs,
            gradients=gradients,
            checkpoints=20,
            seed=seed,
            compile=compile,
        )
        for label, found in race.standings.items():
            key = f"{label}_{start}"
            measured |= numbers(found, key)
            half = found.test_accuracy[:, (len(found.at) - 1) // 2]
            measured[f"{key}_half_way_percent"] = 100 * float(half.mean())
            measured[f"{key}_half_way_sd"] = 100 * float(half.std(ddof=1))
        for label in race.standings:
            if label != "adam":
                own, adam = (measured[f"{name}_{start}_sd"] for name in (label, "adam"))
                measured[f"{label}_{start}_sd_over_adam"] = own / max(adam, 1e-9)
    return Result(measured, {"runs": runs, "gradients": gradients, "batch_size": 10}, seed)


def smoke(seed: int = SEED) -> Result:
    """Take a few steps, eagerly."""
    return measure(2, 20, False, seed)


def full(seed: int = SEED) -> Result:
    """Train 100 runs of each method."""
    return measure(RUNS, GRADIENTS, True, seed)
