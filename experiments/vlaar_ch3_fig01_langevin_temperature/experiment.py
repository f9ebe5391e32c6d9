"""Test accuracy of Langevin dynamics over its temperature, after Figure 3.1."""

from vlaar_ch3_common.problems import trigonometric
from vlaar_ch3_common.scans import temperature_scan

from thermograd.experiments import Result
from thermograd.racing import Entry
from thermograd.sampling.stepping import Compile

RUNS, GRADIENTS, SEED = 10, 50_000, 0
TEMPERATURES = (0.0, 1e-6, 1e-5, 1e-4, 1e-2)
START = 0.01  # standard deviation of the parameters
PRINTED = {"step_size": 0.4, "friction": 10.0}


def measure(runs: int, gradients: int, compile: Compile, seed: int) -> Result:
    """Return the accuracy at every temperature."""
    problem = trigonometric(3.0, 2.0, 500, 20, start=START, seed=seed)
    measured = temperature_scan(
        Entry("baoab", PRINTED),
        TEMPERATURES,
        problem,
        runs,
        gradients=gradients,
        seed=seed,
        compile=compile,
    )
    config = {
        "runs": runs,
        "gradients": gradients,
        "start": START,
        "temperatures": list(TEMPERATURES),
        **PRINTED,
    }
    return Result(measured, config, seed)


def smoke(seed: int = SEED) -> Result:
    """Take a few steps, eagerly."""
    return measure(2, 6, False, seed)


def full(seed: int = SEED) -> Result:
    """Train ten runs at every temperature."""
    return measure(RUNS, GRADIENTS, True, seed)
