"""DHSGD for the first twentieth of the gradients, then SGD, after Figure 3.15."""

from collections.abc import Callable
from dataclasses import replace

from torch import Generator
from vlaar_ch3_common.problems import numbers

from thermograd.experiments import Result
from thermograd.racing import Entry, Problem, Race, Standing, equal_budget, spiral
from thermograd.sampling.stepping import Compile
from thermograd.state import Params

RUNS, FIRST, GRADIENTS, SEED = 20, 2_500, 50_000, 0
SGD_STEPS, DHSGD_STEPS = (0.1, 0.2), (0.2, 0.4)


def onward(begun: Standing) -> Callable[[int, Generator], Params]:
    """Return the start that goes on where these runs ended."""
    return lambda _num, _generator: list(begun.positions)


def measure(runs: int, first: int, gradients: int, compile: Compile, seed: int) -> Result:
    """Return the accuracy of SGD alone and after DHSGD, the same gradients for both."""
    problem = spiral(4.0, 100, 1000, test_points=1000, batch_size=20, start="reset", seed=seed)
    sgd = {f"sgd{h:g}": Entry("sgd", {"step_size": h}) for h in SGD_STEPS}
    dhsgd = {f"dhsgd{h:g}": Entry("dhsgd", {"step_size": h}) for h in DHSGD_STEPS}

    def race(entries: dict[str, Entry], problem: Problem, budget: int) -> Race:
        return equal_budget(
            entries, problem, runs, gradients=budget, checkpoints=2, seed=seed, compile=compile
        )

    alone, begun = race(sgd, problem, gradients), race(dhsgd, problem, first)
    measured: dict[str, float] = {}
    for label, found in [*alone.standings.items(), *begun.standings.items()]:
        measured |= numbers(found, label)
    gains: list[float] = []
    for label, found in begun.standings.items():
        if not found.positions:
            continue
        rest = race(sgd, replace(problem, start=onward(found)), gradients - first)
        for name, after in rest.standings.items():
            measured |= numbers(after, f"{label}_{name}")
            gains.append(100 * (after.mean - alone.standings[name].mean))
            measured[f"{label}_{name}_gain"] = gains[-1]
    measured["most_gain"], measured["least_gain"] = max(gains), min(gains)
    config = {"runs": runs, "gradients": gradients, "first": first, "hidden": 100}
    return Result(measured, config, seed)


def smoke(seed: int = SEED) -> Result:
    """Take a few steps, eagerly."""
    return measure(2, 3, 6, False, seed)


def full(seed: int = SEED) -> Result:
    """Train every pair of step sizes."""
    return measure(RUNS, FIRST, GRADIENTS, True, seed)
