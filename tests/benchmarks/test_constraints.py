"""The tables of constraints are what their record says, and the rivals do the same work."""

import json
from typing import Any

import pytest
import torch
from benchmarks.constraints import bounded, orthogonal
from benchmarks.constraints.run import FOLDER, PAGE, PEERS
from benchmarks.constraints.table import render

Record = dict[str, Any]


@pytest.fixture(scope="module")
def committed() -> Record:
    return json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


def test_page_is_what_the_record_says(committed: Record) -> None:
    assert PAGE.read_text(encoding="utf-8") == render(committed)


def test_record_has_every_size_and_problem(committed: Record) -> None:
    found = {(row["parameters"], row["tensors"], row["word"]) for row in committed["bounded"]}
    sizes = [(n, k) for n in bounded.SIZES for k in bounded.TENSORS]
    assert found == {(*size, word) for size in sizes for word in bounded.WORDS}
    assert [row["problem"] for row in committed["orthogonal"]] == list(orthogonal.PROBLEMS)
    assert [tuple(shape) for shape in committed["resnet_34"]] == list(orthogonal.RESNET_34)
    for row in committed["bounded"]:
        times = row["microseconds"]
        for name, ratio in row["ratios"].items():
            assert ratio == pytest.approx(times[name] / times["Langevin"])


def test_record_names_what_took_part(committed: Record) -> None:
    assert {"python", "torch", "thermograd", *PEERS} <= set(committed["versions"])
    assert committed["machine"]["threads"] == 1
    assert any("geotorch, cayley" in row["milliseconds"] for row in committed["orthogonal"])


def test_orthogonal_steps_were_the_fastest_at_a_residual_of_1e_6(committed: Record) -> None:
    for row in committed["orthogonal"]:
        times = dict(row["milliseconds"])
        assert row["residuals"]["o-CoLud"] <= 1e-6
        assert row["residuals"]["o-CoLod"] <= 1e-6
        overdamped, underdamped = times.pop("o-CoLod"), times.pop("o-CoLud")
        assert overdamped < min(times.values())
        if row["problem"] != "100 × 100":  # there geoopt's step with momentum is shorter
            assert underdamped < min(times.values())


def test_own_methods_move_what_they_are_timed_on() -> None:
    assert len(orthogonal.RESNET_34) == 37
    for is_underdamped in (True, False):
        work, read = orthogonal._own(((6, 4), (3, 5)), False, is_underdamped)  # pyright: ignore[reportPrivateUsage]
        before = [q.clone() for q in read()]
        work()
        for q, old in zip(read(), before, strict=True):
            assert float((q - old).abs().max()) > 1e-4
            assert orthogonal._residual(q) < 1e-6  # pyright: ignore[reportPrivateUsage]
    entries = bounded._entries(600, 60, "OBA")  # pyright: ignore[reportPrivateUsage]
    assert set(entries) == {"Langevin", *bounded.RULES}
    with torch.no_grad():
        for work in entries.values():
            work()
