"""Test accuracy of AdLaLa over its driving noise and temperature, after Figure 3.16."""

import warnings

from vlaar_ch3_common.problems import numbers

from thermograd.experiments import Result
from thermograd.racing import Entry, equal_budget, spiral
from thermograd.sampling.stepping import Compile

RUNS, GRADIENTS, SEED = 10, 50_000, 0
TEMPERATURES = (1e-6, 1e-4)
NOISES = (0.0, 0.001, 0.01, 0.04, 0.1)
PRINTED = {
    "step_size": 0.1,
    "friction": 0.03,
    "output_temperature": 1e-8,
    "feedback": 0.1,
    "initial_xi": 0.1,
}


def entries() -> dict[str, Entry]:
    """Return an entry for each cell of the map."""
    return {
        f"temperature{heat:g}_noise{noise:g}": Entry(
            "adlala", {**PRINTED, "temperature": heat, "driving_noise": noise}
        )
        for heat in TEMPERATURES
        for noise in NOISES
    }


def measure(runs: int, gradients: int, compile: Compile, seed: int) -> Result:
    """Return the accuracy in each cell, and over each σ."""
    problem = spiral(4.0, 100, 1000, test_points=1000, batch_size=20, start="reset", seed=seed)
    with warnings.catch_warnings():  # σ = 0 is among the cells on purpose
        warnings.filterwarnings("ignore", message=".*driving_noise = 0")
        race = equal_budget(
            entries(), problem, runs, gradients=gradients, checkpoints=2, seed=seed, compile=compile
        )
    measured: dict[str, float] = {}
    for label, found in race.standings.items():
        measured |= numbers(found, label)
    means = {label: 100 * found.mean for label, found in race.standings.items()}
    for noise in NOISES:
        row = [means[f"temperature{heat:g}_noise{noise:g}"] for heat in TEMPERATURES]
        measured[f"noise{noise:g}_least_percent"] = min(row)
        measured[f"noise{noise:g}_most_percent"] = max(row)
    measured["best_percent"] = max(means.values())
    config = {
        "runs": runs,
        "gradients": gradients,
        "temperatures": list(TEMPERATURES),
        "noises": list(NOISES),
        **PRINTED,
    }
    return Result(measured, config, seed)


def smoke(seed: int = SEED) -> Result:
    """Take a few steps, eagerly."""
    return measure(2, 3, False, seed)


def full(seed: int = SEED) -> Result:
    """Train ten runs in every cell."""
    return measure(RUNS, GRADIENTS, True, seed)
