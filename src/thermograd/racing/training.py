"""Many trainings of one method at once: a walker each of one run of the sampler."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from .._errors import NonFiniteError
from ..potentials import Network
from ..sampling.launch import sample
from ..sampling.observables import Observable, View
from ..sampling.stepping import Compile
from ..sampling.streams import stream
from .entry import Entry
from .problem import Problem
from .standing import Standing

__all__ = ["Plan", "Sighting", "Watch", "train"]

LOSS, ACCURACY = "train_loss", "test_accuracy"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What can be seen at a checkpoint.

    Attributes:
        label: of the method.
        is_tuning: whether this is a point of a grid.
        step: steps done; 0 before the first.
        num_steps: steps in all.
        train_loss: of every run, (W,).
        test_accuracy: of every run, (W,).
    """

    label: str
    is_tuning: bool
    step: int
    num_steps: int
    train_loss: Tensor
    test_accuracy: Tensor


Watch: TypeAlias = Callable[[Sighting], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How each method is run.

    Attributes:
        problem: what is trained.
        network: U of it.
        num_runs: W.
        gradients: for each run.
        checkpoints: how often loss and accuracy are measured on the way.
        seed: of starts, batches and noise.
        compile: whether to compile the step.
        is_tuning: whether the runs only choose settings.
        watch: called at every checkpoint.
    """

    problem: Problem
    network: Network
    num_runs: int
    gradients: int
    checkpoints: int
    seed: int
    compile: Compile
    is_tuning: bool
    watch: Watch | None


def train(label: str, entry: Entry, plan: Plan) -> Standing:
    """Train all runs of an entry, and return what came of it."""
    chosen = entry.chosen()
    steps = max(1, plan.gradients // chosen.gradients_per_step)
    every = max(1, steps // plan.checkpoints)
    at = tuple(range(steps % every + every, steps + 1, every))
    began = time.perf_counter()
    start = plan.problem.positions(plan.network, plan.num_runs, stream(plan.seed, "start"))
    try:
        run = sample(
            plan.network,
            chosen.method,
            walkers=plan.num_runs,
            steps=steps,
            every=every,
            burn_in=steps % every,
            seed=plan.seed,
            start=start,
            params=(),
            observables=_observables(label, plan, steps),
            compile=plan.compile,
            progress=False,
            **chosen.arguments,
        )
    except NonFiniteError:
        return _lost(label, entry, plan, at, time.perf_counter() - began, steps)
    loss, accuracy = (run.sample_stats[name].astype(np.float64) for name in (LOSS, ACCURACY))
    return Standing(
        label=label,
        method=entry.name,
        settings=dict(entry.settings),
        gradients=sum(run.world.evaluate.counts.values()),
        seconds=time.perf_counter() - began,
        is_compiled=run.settings.compile is True,
        at=tuple(step * chosen.gradients_per_step for step in at),
        train_loss=loss,
        test_accuracy=np.where(np.isfinite(loss), accuracy, 0.0),
        positions=tuple(run.view.positions),
    )


def _lost(
    label: str, entry: Entry, plan: Plan, at: tuple[int, ...], seconds: float, steps: int
) -> Standing:
    """Return the standing of a method whose runs all diverged."""
    shape = (plan.num_runs, len(at))
    cost = entry.chosen().gradients_per_step
    return Standing(
        label=label,
        method=entry.name,
        settings=dict(entry.settings),
        gradients=steps * cost,
        seconds=seconds,
        is_compiled=False,
        at=tuple(step * cost for step in at),
        train_loss=np.full(shape, np.nan),
        test_accuracy=np.zeros(shape),
        positions=(),
    )


def _observables(label: str, plan: Plan, steps: int) -> list[Observable]:
    network, test = plan.network, plan.problem.test
    latest, said = torch.empty(0), -1

    def loss(view: View) -> Tensor:
        nonlocal latest
        latest = network.mean_loss(view.positions)
        return latest

    def accuracy(view: View) -> Tensor:
        nonlocal said
        found = network.accuracy(view.positions, test)
        if plan.watch is not None and view.step > said:  # the start is looked at more than once
            plan.watch(Sighting(label, plan.is_tuning, view.step, steps, latest, found))
        said = view.step
        return found

    return [Observable(LOSS, loss, "sample_stats"), Observable(ACCURACY, accuracy, "sample_stats")]
