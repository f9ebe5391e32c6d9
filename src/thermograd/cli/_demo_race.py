"""The runs of `thermograd demo`, and the plain numbers that its figure is drawn from."""

import os
import shutil
import sys
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from ..plots.records import Band, Classifier, Points, Trained
from ..potentials import Network
from ..racing import Problem, Race, Sighting, Standing, equal_budget, published, spiral
from ._console import Advance

REACH, CELLS = 2.25, 121  # of the picture of a classifier


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run.

    Attributes:
        runs: of each method.
        gradients: for each run.
        checkpoints: at which loss and accuracy are measured.
        is_compiled: whether the step may be compiled.
    """

    runs: int
    gradients: int
    checkpoints: int
    is_compiled: bool


SIZES = {"full": Size(50, 10_000, 50, True), "smoke": Size(3, 60, 5, False)}


def has_compiler() -> bool:
    """Tell whether torch will find the C++ compiler that it compiles with."""
    usual = "clang++" if sys.platform == "darwin" else "g++"
    return shutil.which(os.environ.get("CXX", usual)) is not None


def total_steps(size: Size) -> int:
    """Return how many steps `run` takes."""
    return len(published()) * size.gradients


def run(size: Size, seed: int, advance: Advance) -> tuple[Problem, Race]:
    """Train every method, and say on the way how it does."""
    problem = spiral(seed=seed)
    every = 1 if sys.stderr.isatty() else 10  # checkpoints between two labels
    seen: dict[str, int] = {}

    def watch(sighting: Sighting) -> None:
        done = seen.get(sighting.label, 0)
        seen[sighting.label] = sighting.step
        number = len(seen) * size.checkpoints + sighting.step * size.checkpoints // size.gradients
        label = None
        if sighting.step == 0:
            label = sighting.label + (": compiling" if size.is_compiled else "")
        elif number % every == 0:
            accuracy = 100 * float(sighting.test_accuracy.mean())
            label = f"{sighting.label}: {accuracy:.1f}% after {sighting.step:,} steps"
        advance(sighting.step - done, label)

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are too small to share
    try:
        race = equal_budget(
            published(),
            problem,
            size.runs,
            gradients=size.gradients,
            checkpoints=size.checkpoints,
            seed=seed,
            compile=size.is_compiled,
            watch=watch,
        )
    finally:
        torch.set_num_threads(threads)
    return problem, race


def points_of(problem: Problem) -> Points:
    """Return the points that were trained on."""
    x, y = problem.train
    return tuple((a, b, c) for (a, b), c in zip(x.tolist(), y.tolist(), strict=True))


def trained(problem: Problem, race: Race) -> list[Trained]:
    """Return what the figure shows of each method."""
    network = problem.network()
    return [_trained(network, found) for found in race.standings.values()]


def _trained(network: Network, found: Standing) -> Trained:
    order = sorted(range(len(found.accuracy)), key=lambda run: found.accuracy[run])
    return Trained(
        label=found.label,
        median=_classifier(network, found, order[len(order) // 2]),
        worst=_classifier(network, found, order[0]),
        loss=_band(found.at, found.train_loss),
        accuracy=_band(found.at, found.test_accuracy),
    )


def _band(at: tuple[int, ...], values: NDArray[np.float64]) -> Band:
    low, high = np.nanquantile(values, (0.1, 0.9), axis=0).tolist()
    mean = np.nanmean(values, axis=0).tolist()
    return Band(tuple(float(step) for step in at), tuple(mean), tuple(low), tuple(high))


def _classifier(network: Network, found: Standing, run: int) -> Classifier:
    line = torch.linspace(-REACH, REACH, CELLS)
    second, first = torch.meshgrid(line, line, indexing="ij")
    inputs = torch.stack([first.flatten(), second.flatten()], 1)
    own = [tensor[run : run + 1] for tensor in found.positions]
    probability = network.predict(own, inputs).sigmoid().view(CELLS, CELLS)
    rows = tuple(tuple(row) for row in probability.tolist())
    return Classifier(found.accuracy[run], REACH, rows)
