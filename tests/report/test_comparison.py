"""Comparisons: equal cost, intervals over seeds, and Welch's test against scipy's."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from thermograd._errors import ParameterError, StoreError, UnknownNameError
from thermograd.report.comparison import LEVEL, compare
from thermograd.report.page import read_records
from thermograd.report.record import RunRecord

from .runs import NETWORK, WELL, made

COLD, HOT = {"run.temperature": "0.7"}, {"run.temperature": "1.6"}


@pytest.fixture(scope="module")
def wells(tmp_path_factory: pytest.TempPathFactory) -> list[RunRecord]:
    """Three seeds at one temperature and three at another."""
    root = tmp_path_factory.mktemp("wells")
    changes = [{**heat, "run.seed": str(seed)} for heat in (COLD, HOT) for seed in range(3)]
    return read_records([made(WELL, root / f"{i}", one) for i, one in enumerate(changes)])


def test_means_intervals_and_p_are_those_of_scipy(wells: list[RunRecord]) -> None:
    found = compare(wells, ["kinetic_temperature"])
    means = [float(run.sample_stats["kinetic_temperature"].mean()) for run in wells]
    first, second = found.conditions
    assert first.name == "run.temperature 0.7"
    assert second.runs == ("3", "4", "5")
    assert first.mean == pytest.approx(np.mean(means[:3]), rel=1e-6)
    interval = stats.t.interval(0.95, 2, np.mean(means[:3]), stats.sem(means[:3]))
    assert (first.low, first.high) == pytest.approx(interval, rel=1e-5)
    (difference,) = found.differences
    expected = float(np.asarray(stats.ttest_ind(means[:3], means[3:], equal_var=False))[1])
    assert difference.p == pytest.approx(expected, rel=1e-4)
    assert difference.is_significant == (expected < LEVEL)


def test_level_is_shared_out_over_the_tests(wells: list[RunRecord]) -> None:
    values = {name: np.full((4, 400), 2.0) for name in ("a", "b", "c")}
    offsets = [0.0, 0.2, 0.4, 0.61, 0.83, 1.02]
    runs = [
        replace(run, sample_stats={name: v + gap for name, v in values.items()})
        for run, gap in zip(wells, offsets, strict=True)
    ]
    (alone,) = compare(runs, ["a"]).differences
    assert LEVEL / 3 < alone.p < LEVEL
    assert alone.is_significant
    assert "higher by 0.62, significant" in alone.says
    assert not any(one.is_significant for one in compare(runs).differences)


def test_longer_run_is_cut_to_equal_gradients(tmp_path: Path) -> None:
    short = made(NETWORK, tmp_path / "short", {"data.batch_size": "10", "run.steps": "200"})
    whole = made(NETWORK, tmp_path / "whole", {"run.steps": "80", "data.batch_size": "40"})
    records = read_records([short, whole])
    found = compare(records, ["accuracy"])
    assert found.unit == "gradients of single examples"
    assert found.spent == pytest.approx({"short": 201 * 10, "whole": 81 * 40}, rel=1e-12)
    assert found.budget == found.spent["short"]
    steps = found.budget / (81 / 80 * 40)
    kept = int((steps - 40) // 2)  # burn-in 40, every second step
    expected = float(records[1].sample_stats["accuracy"][:, :kept].mean())
    assert found.conditions[1].mean == pytest.approx(expected, rel=1e-6)
    assert "one seed only" in found.differences[0].says


def test_run_that_is_too_short_for_the_cost_is_refused(tmp_path: Path) -> None:
    cheap = made(NETWORK, tmp_path / "cheap", {"data.batch_size": "2", "run.steps": "60"})
    dear = made(NETWORK, tmp_path / "dear")
    with pytest.raises(StoreError, match="dear has 0 draws within the cost"):
        compare(read_records([cheap, dear]))


def test_constant_number_has_no_statement(wells: list[RunRecord]) -> None:
    flat = {"still": np.full((4, 400), 1.5)}
    runs = [replace(run, sample_stats=flat) for run in (wells[0], wells[3])]
    found = compare(runs)
    assert math.isnan(found.differences[0].p)
    assert not found.differences[0].is_significant


def test_one_run_unknown_numbers_and_twins_are_refused(wells: list[RunRecord]) -> None:
    with pytest.raises(ParameterError, match="takes 2 runs or more"):
        compare(wells[:1])
    with pytest.raises(UnknownNameError, match="Did you mean 'virial'"):
        compare(wells, ["virail"])
    with pytest.raises(ParameterError, match="one run twice"):
        compare([wells[0], replace(wells[0], name="twin")])
