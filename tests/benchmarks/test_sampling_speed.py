"""The table of sampling speed is what its record says, and its entries do the same work."""

import json
from typing import Any

import numpy as np
import pytest
from benchmarks.sampling import problem, storing
from benchmarks.sampling.libraries import BLACKJAX, POSTERIORS, THERMOGRAD, plain_entry
from benchmarks.sampling.run import FOLDER, PAGE
from benchmarks.sampling.table import render

Record = dict[str, Any]


@pytest.fixture(scope="module")
def committed() -> Record:
    return json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


def test_page_is_what_the_record_says(committed: Record) -> None:
    assert PAGE.read_text(encoding="utf-8") == render(committed)


def test_record_has_every_width_and_peer(committed: Record) -> None:
    found = [(row["threads"], row["walkers"]) for row in committed["walkers"]]
    assert {(1, width) for width in problem.WIDTHS} <= set(found)
    for row in committed["walkers"]:
        assert {THERMOGRAD, BLACKJAX, POSTERIORS} < set(row["microseconds"])
        times = row["microseconds"]
        assert row["ratio"] == pytest.approx(times[THERMOGRAD] / times[BLACKJAX])


def test_record_names_what_took_part(committed: Record) -> None:
    names = {"python", "torch", "thermograd", "posteriors", "blackjax", "jax"}
    assert names <= set(committed["versions"])
    assert [row["draws"] for row in committed["resuming"]] == list(storing.LENGTHS)


def test_memory_was_flat_and_resuming_independent_of_length(committed: Record) -> None:
    seen = committed["memory"]["megabytes"]
    assert committed["memory"]["steps"] == storing.MILLION
    assert seen[-1] - seen[1] < 0.1 * seen[1]
    times = [row["seconds"] for row in committed["resuming"]]
    assert times[-1] < 3 * times[0]


def test_libraries_start_from_the_same_parameters() -> None:
    start = problem.start(3)
    assert sum(value[0].size for value in start.values()) == problem.NUM_PARAMS
    assert all(np.array_equal(value[0], value[2]) for value in start.values())
    plain_entry(2)(1)
