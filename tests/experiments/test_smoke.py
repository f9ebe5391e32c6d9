"""Every experiment has its files, and its short version runs in ten seconds."""

import math
import time
from pathlib import Path

import pytest

from thermograd.experiments import Experiment, compare, find

ROOT = Path(__file__).parents[2] / "experiments"
EXPERIMENTS = find(ROOT)
LIMIT_SECONDS = 10.0


@pytest.mark.training
@pytest.mark.usefixtures("global_rng")
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda found: found.name)
def test_smoke_runs_in_ten_seconds(experiment: Experiment) -> None:
    began = time.process_time()
    result = experiment.run(is_smoke=True)
    assert time.process_time() - began < LIMIT_SECONDS
    assert result.measured
    assert all(math.isfinite(value) for value in result.measured.values())


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda found: found.name)
def test_experiment_has_a_readme_and_reasons(experiment: Experiment) -> None:
    assert experiment.summary
    assert all(row.reason for row in compare(experiment.folder, {}))
