"""The record of what an inner step costs is complete, and the prose says what it says."""

import json
from typing import Any

import pytest
from benchmarks.objectives.run import FOLDER, SIZES, TENSORS


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    return json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


def test_record_has_every_size_and_says_where_it_ran(committed: dict[str, Any]) -> None:
    found = {(row["parameters"], row["tensors"]) for row in committed["step"]}
    assert found == {(size, tensors) for size in SIZES for tensors in TENSORS}
    assert committed["machine"]["threads"] == 1
    assert {"python", "torch", "thermograd"} <= set(committed["versions"])


def test_step_is_within_budget_where_both_fit_in_the_cache_or_neither(
    committed: dict[str, Any],
) -> None:
    """As docs/speed.md says; a million parameters are in between."""
    ratios = {row["parameters"]: row["ratio to"]["SGD foreach"] for row in committed["step"]}
    assert max(ratios[10_000], ratios[10_000_000]) <= 1.5
    assert ratios[1_000_000] <= 4
