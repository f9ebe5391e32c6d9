"""The harness: every method gets the same number of gradients, and as many runs."""

import itertools
from collections.abc import Mapping

from .._checks import is_int, positive_int, require, unknown_name
from ..sampling.stepping import Compile
from ..sampling.streams import stream
from .entry import Entry, Grid
from .problem import Problem
from .race import Race
from .standing import Standing, Trial
from .training import Plan, Watch, train

__all__ = ["equal_budget"]


def equal_budget(
    methods: Mapping[str, Entry],
    problem: Problem,
    seeds: int,
    *,
    gradients: int,
    tune: Mapping[str, Grid] | None = None,
    tuning_seeds: int = 8,
    checkpoints: int = 50,
    seed: int = 0,
    compile: Compile = "auto",
    watch: Watch | None = None,
) -> Race:
    """Train methods on equal budgets of minibatch gradients, and compare their test accuracies.

    The runs of a method are walkers of one run of the sampler, each with its own start, its own
    minibatches and its own noise. Starts and minibatches are the same for all methods. A method
    that needs the force at the start spends one gradient more than the budget there; one with
    several gradients a step takes fewer steps.

    Tuning tries every point of a grid, and the settings of the entry itself if they are no point
    of it, with starts, minibatches and noise that differ from those of the reported runs. The
    best mean test accuracy at the end wins, the first of equals. A run that diverges has accuracy
    0, here and in the result.

    Args:
        methods: entries by label.
        problem: what they are trained on.
        seeds: reported runs of each method; with one there are no intervals.
        gradients: for each run.
        tune: grids by label, each from names of settings to the values to try.
        tuning_seeds: runs at each point of a grid.
        checkpoints: how often train loss and test accuracy are measured on the way.
        seed: from which all random numbers are derived.
        compile: whether to compile the step; "auto" where it pays.
        watch: called at every checkpoint with what can be seen.

    Returns:
        the record.
    """
    owner = "equal_budget"
    for name, value in (("seeds", seeds), ("gradients", gradients), ("checkpoints", checkpoints)):
        positive_int(value, name, owner)
    positive_int(tuning_seeds, "tuning_seeds", owner)
    require(is_int(seed) and seed >= 0, "seed", owner, "an integer, 0 or above", seed)
    require(bool(methods), "methods", owner, "a table with an entry in it", methods)
    grids = {label: points(label, methods, grid) for label, grid in (tune or {}).items()}
    for entry in itertools.chain(methods.values(), *grids.values()):
        entry.chosen()
    network = problem.network()

    def plan(purpose: str, num_runs: int) -> Plan:
        own = stream(seed, purpose).initial_seed()
        is_tuning = purpose == "tuning"
        return Plan(
            problem, network, num_runs, gradients, checkpoints, own, compile, is_tuning, watch
        )

    standings: dict[str, Standing] = {}
    for label, entry in methods.items():
        best, trials = entry, tuple[Trial, ...]()
        if label in grids:
            best, trials = _tuned(label, grids[label], plan("tuning", tuning_seeds))
        standings[label] = train(label, best, plan("race", seeds)).with_trials(trials)
    return Race(problem.name, gradients, seeds, seed, standings)


def points(label: str, methods: Mapping[str, Entry], grid: Grid) -> list[Entry]:
    """Return the entries of a grid, the entry itself first if it is none of them."""
    if label not in methods:
        raise unknown_name("method to tune", label, methods)
    require(bool(grid), f"tune[{label!r}]", "equal_budget", "a grid with a setting in it", grid)
    for name, values in grid.items():
        ok = not isinstance(values, str) and len(values) > 0
        owner = f"the grid of {label!r}"
        require(ok, name, owner, "a list with a value in it", values)
    own = methods[label]
    found = [
        own.with_settings(dict(zip(grid, values, strict=True)))
        for values in itertools.product(*grid.values())
    ]
    return found if own in found else [own, *found]


def _tuned(label: str, grid: list[Entry], plan: Plan) -> tuple[Entry, tuple[Trial, ...]]:
    trials = [Trial(dict(entry.settings), train(label, entry, plan).mean) for entry in grid]
    best = max(range(len(grid)), key=lambda number: trials[number].accuracy)
    return grid[best], tuple(trials)
