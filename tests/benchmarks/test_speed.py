"""The speed table in the repository is what its record says, and the race is fair."""

import json
from typing import Any

import pytest
from benchmarks.speed.optimizers import SIZES, TENSORS
from benchmarks.speed.race import race
from benchmarks.speed.run import FOLDER, PAGE
from benchmarks.speed.table import render

Record = dict[str, Any]


@pytest.fixture(scope="module")
def committed() -> Record:
    return json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


def test_page_is_what_the_record_says(committed: Record) -> None:
    assert PAGE.read_text(encoding="utf-8") == render(committed)


def test_record_has_every_size_and_the_peers(committed: Record) -> None:
    found = {(row["parameters"], row["tensors"]) for row in committed["optimizers"]}
    assert found == {(size, tensors) for size in SIZES for tensors in TENSORS}
    assert any(row["method"].startswith("posteriors") for row in committed["training"])
    assert committed["machine"]["threads"] == 1


def test_record_names_what_took_part(committed: Record) -> None:
    assert {"python", "torch", "thermograd", "posteriors"} <= set(committed["versions"])


def test_race_runs_every_entry_in_every_round() -> None:
    calls: list[str] = []
    best = race({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3, slot=1e-5)
    assert set(best) == {"a", "b"}
    assert all(0 < seconds < 1 for seconds in best.values())
    assert len(calls) == calls.count("a") + calls.count("b")
    assert min(calls.count("a"), calls.count("b")) >= 5
