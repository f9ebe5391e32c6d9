"""The record of the multirate benchmark is complete, and the page shows it."""

import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.multirate.run import FOLDER, table
from benchmarks.multirate.timing import FAST, K, Setting, rows

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "multirate.md"


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    return json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


def test_page_is_what_the_record_says(committed: dict[str, Any]) -> None:
    assert table(committed) in PAGE.read_text(encoding="utf-8")


def test_record_keeps_what_is_promised(committed: dict[str, Any]) -> None:
    assert committed["setting"]["k"] == K
    assert committed["machine"]["threads"] == 1
    assert {"python", "torch", "thermograd"} <= set(committed["versions"])
    found = {row["fast"]: row["measured ratio"] for row in committed["rows"]}
    assert set(found) == set(FAST)
    assert found["last block and fc"] <= 0.6


def test_race_measures_and_predicts() -> None:
    for row in rows(Setting(width=2, batch=2), rounds=1):
        assert 0 < row["measured ratio"] < 2
        assert 0.2 <= row["predicted ratio"] <= 1
