"""The record of fifty trainings, and that both sides do the same work."""

import json
from typing import Any

import pytest
import torch
from benchmarks.training_race.run import FOLDER, LOOPS, OURS, RIVAL, WALKERS, torch_loop

from thermograd.racing import spiral

Record = dict[str, Any]


@pytest.fixture(scope="module")
def committed() -> Record:
    return json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


def test_record_names_machine_threads_and_versions(committed: Record) -> None:
    assert committed["machine"]["cpu"]
    assert committed["threads"] == 1
    assert {"python", "torch", "thermograd"} <= set(committed["versions"])
    assert set(committed["seconds"]) == {*WALKERS, *LOOPS}


def test_ratio_is_that_of_the_seconds(committed: Record) -> None:
    seconds, runs = committed["seconds"], committed["runs"]
    assert committed["ratio"] == pytest.approx(runs * seconds[RIVAL] / seconds[OURS])


def test_fifty_trainings_meet_their_bounds(committed: Record) -> None:
    assert (committed["runs"], committed["steps"]) == (50, 10_000)
    assert committed["clock_seconds"]["AdLaLa"] <= 5
    assert min(committed["ratio"], committed["clock_ratio"], committed["ratio_to_fastest"]) >= 40


def test_torch_trains_the_perceptron_of_the_problem() -> None:
    problem = spiral()
    model = torch_loop(problem, 300, is_fused=False)
    shapes = [tuple(p.shape) for p in model.parameters()]
    assert shapes == [tuple(p.shape) for p in problem.model.parameters()]
    x, y = problem.train
    loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y.float())
    assert loss < 0.66
