"""The frame of the experiments, on planted ones: found, run, compared, recorded."""

import json
import math
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from thermograd._errors import ParameterError, StateError, StoreError, UnknownNameError
from thermograd.cli import main
from thermograd.experiments import Experiment, Result, compare, find, get, record

CODE = """
from thermograd.experiments import Result
from of_planted_experiment import VALUE

def smoke(seed=3):
    return Result({"slope": VALUE, "extra": 5.5}, {"steps": 7}, seed)

def full():
    return Result({"slope": VALUE, "gain": 4.0}, {"steps": 70})
"""
EXPECTED = """
[slope]
value = 2.0
tolerance = 0.15
reason = "printed in Table 4.2"
[gain]
at_least = 3.0
reason = "read off a figure"
"""


def planted(root: Path, value: float = 2.1, name: str = "someone_fig7_slope") -> Path:
    folder = root / "experiments" / name
    folder.mkdir(parents=True)
    (folder / "experiment.py").write_text(CODE)
    (folder / "of_planted_experiment.py").write_text(f"VALUE = {value}\n")
    (folder / "expected.toml").write_text(EXPECTED)
    (folder / "README.md").write_text("# The slope is two\n\nMore.\n")
    return folder


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "of_planted_experiment", raising=False)


def test_experiments_are_found_by_name_and_by_path(tmp_path: Path) -> None:
    folder = planted(tmp_path)
    (found,) = find(folder.parent)
    assert (found.name, found.summary) == ("someone_fig7_slope", "The slope is two")
    assert get("someone_fig7_slope", folder.parent) == get(str(folder)) == Experiment(folder)
    with pytest.raises(UnknownNameError, match="Did you mean 'someone_fig7_slope'"):
        get("someone_fig8_slope", folder.parent)


def test_seed_reaches_a_function_that_takes_one(tmp_path: Path) -> None:
    experiment = Experiment(planted(tmp_path))
    assert experiment.run(is_smoke=True).seed == 3
    assert experiment.run(is_smoke=True, seed=8).seed == 8
    with pytest.raises(ParameterError, match="takes no seed"):
        experiment.run(is_smoke=False, seed=8)


def test_experiment_without_its_functions_is_named(tmp_path: Path) -> None:
    folder = planted(tmp_path)
    (folder / "experiment.py").write_text("def full():\n    return 3\n")
    with pytest.raises(StateError, match=r"defines no function smoke\(\)"):
        Experiment(folder).run(is_smoke=True)
    with pytest.raises(StateError, match="it returns a int"):
        Experiment(folder).run(is_smoke=False)


def test_rows_of_values_and_bounds(tmp_path: Path) -> None:
    folder = planted(tmp_path)
    slope, gain = compare(folder, {"slope": 2.14, "gain": 2.9})
    assert (slope.ok, slope.expected, slope.reason) == (True, "2 ± 0.15", "printed in Table 4.2")
    assert (gain.ok, gain.expected) == (False, "≥ 3.0")
    slope, gain = compare(folder, {"slope": 2.16})
    assert (slope.ok, gain.ok) == (False, None)
    assert math.isnan(gain.measured)
    slope, _ = compare(folder, {"slope": math.nan})
    assert slope.ok is False
    (folder / "expected.toml").write_text("[slope]\nvalue = 2.0\ntolerance = 0.1\n")
    with pytest.raises(ParameterError, match="a table with a reason"):
        compare(folder, {})


def test_records_are_lines_with_where_they_come_from(tmp_path: Path) -> None:
    record(Result({"slope": 2.1}, {"steps": 7}, 3), tmp_path / "out")
    record({"note": "more"}, tmp_path / "out")
    lines = (tmp_path / "out" / "records.jsonl").read_text().splitlines()
    first, second = (json.loads(line) for line in lines)
    assert first["measured"] == {"slope": 2.1}
    assert (first["config"], first["seed"]) == ({"steps": 7}, 3)
    assert {"python", "torch", "thermograd"} <= first["versions"].keys()
    assert second["note"] == "more"
    with pytest.raises(StoreError, match="cannot write"):
        record({}, "/proc/nothing")


@pytest.mark.parametrize(("value", "code"), [(2.1, 0), (2.4, 1)])
def test_command_prints_both_and_fails_on_a_miss(
    value: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = planted(tmp_path, value)
    monkeypatch.chdir(tmp_path)
    listed = CliRunner().invoke(main, ["list", "experiments"])
    assert listed.output == "someone_fig7_slope  The slope is two\n"
    done = CliRunner().invoke(main, ["run", folder.name])
    assert done.exit_code == code
    assert ("MISSED" in done.output) == bool(code)
    assert "printed in Table 4.2" in done.output
    short = CliRunner().invoke(main, ["run", folder.name, "--smoke", "--seed", "9"])
    assert (short.exit_code, "not measured" in short.output) == (0, True)
    lines = (tmp_path / "out" / folder.name / "records.jsonl").read_text().splitlines()
    assert [json.loads(line)["is_smoke"] for line in lines] == [False, True]
    assert json.loads(lines[1])["seed"] == 9
