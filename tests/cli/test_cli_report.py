"""`thermograd report | diagnose | compare | watch`: folders in, words and files out."""

import json
from pathlib import Path

import pytest
from command import thermograd

WELL = """
[run]
walkers = 3
steps = 200
temperature = 0.7
step_size = 0.1
compile = false

[potential]
name = "DoubleWell"
stiffness = 0.8
well = 1.2
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that differ in their temperature."""
    root = tmp_path_factory.mktemp("runs")
    (root / "well.toml").write_text(WELL)
    for name, heat in (("cold", "0.7"), ("hot", "2.1")):
        words = ("--out", str(root / name), "--set", f"run.temperature={heat}")
        assert thermograd("run", str(root / "well.toml"), *words).code == 0
    return root


def test_report_is_written_once(root: Path, tmp_path: Path) -> None:
    words = ("report", str(root / "cold"), str(root / "hot"), "--out", str(tmp_path / "page.html"))
    said = thermograd(*words)
    assert said.code == 0
    assert f"Report: {tmp_path / 'page.html'}" in said.out
    again = thermograd(*words)
    assert (again.code, again.err.count("\n")) == (2, 1)
    assert "exists already" in again.err
    assert thermograd(*words, "--force", "--no-target").code == 0


@pytest.mark.parametrize("command", ["report", "diagnose", "compare", "watch"])
def test_folder_without_a_run_is_an_error_in_one_line(command: str, tmp_path: Path) -> None:
    said = thermograd(command, str(tmp_path), *([str(tmp_path)] if command == "compare" else []))
    assert said.code == 2
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1


def test_diagnose_prints_a_table_and_appends_a_record(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    words = ("diagnose", str(root / "cold"), "--out", str(out), "--what")
    assert "drift since the first draw, q" in thermograd(*words, "weights,correlation").out
    said = thermograd(*words, "curvature", "--json")
    assert said.code == 1
    assert said.data["diagnostics"][0]["reason"] == "DoubleWell is no network over data"
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [[one["name"] for one in line["diagnostics"]] for line in lines] == [
        ["weights", "correlation"],
        ["curvature"],
    ]
    unknown = thermograd(*words, "wieghts")
    assert unknown.code == 2
    assert "Did you mean 'weights'" in unknown.err


def test_compare_says_what_differs(root: Path) -> None:
    said = thermograd("compare", str(root / "cold"), str(root / "hot"))
    assert said.code == 0
    assert "Equal cost: 201 gradients of single examples a walker." in said.out
    assert "run.temperature 2.1 against run.temperature 0.7" in said.out
    assert "one seed only" in said.out
    data = thermograd("compare", str(root / "cold"), str(root / "hot"), "--json").data
    assert {one["name"] for one in data["conditions"]} == {
        "run.temperature 0.7",
        "run.temperature 2.1",
    }


def test_watch_shows_how_far_a_run_is(root: Path) -> None:
    said = thermograd("watch", str(root / "hot"), "--once")
    assert said.code == 0
    assert "200 of 200 steps, 3 of 3 walkers" in said.out
    assert "kinetic_temperature" in said.out
