"""Test accuracy of LOL over its temperature, after Figure 3.17."""

from vlaar_ch3_common.scans import temperature_scan

from thermograd.experiments import Result
from thermograd.racing import Entry, spiral
from thermograd.sampling.stepping import Compile

RUNS, GRADIENTS, SEED = 10, 50_000, 0
HIDDEN = (0.0, 1e-5, 1e-3, 1e-2, 1e-1)
BOTH = (0.0, 1e-6, 1e-5, 1e-4, 1e-3)
PRINTED = {"step_size": 0.8, "friction": 1.0}


def measure(runs: int, gradients: int, compile: Compile, seed: int) -> Result:
    """Return the accuracy at every temperature, of the hidden part and of both."""
    problem = spiral(4.0, 200, 1000, test_points=1000, batch_size=20, start="reset", seed=seed)
    measured: dict[str, float] = {}
    for prefix, names, temperatures in (
        ("", ("temperature",), HIDDEN),
        ("both_", ("temperature", "output_temperature"), BOTH),
    ):
        measured |= temperature_scan(
            Entry("lol", PRINTED),
            temperatures,
            problem,
            runs,
            gradients=gradients,
            seed=seed,
            compile=compile,
            names=names,
            prefix=prefix,
        )
    config = {
        "runs": runs,
        "gradients": gradients,
        "hidden": list(HIDDEN),
        "both": list(BOTH),
        **PRINTED,
    }
    return Result(measured, config, seed)


def smoke(seed: int = SEED) -> Result:
    """Take a few steps, eagerly."""
    return measure(2, 6, False, seed)


def full(seed: int = SEED) -> Result:
    """Train ten runs at every temperature."""
    return measure(RUNS, GRADIENTS, True, seed)
