"""Reading a run folder: what is there, and what is wrong with one that is not whole."""

import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thermograd._errors import StoreError
from thermograd.report.correlation import correlation_table
from thermograd.report.record import RunRecord, read_record
from thermograd.report.traces import traces
from thermograd.report.verdict import Finding, overall, temperatures, verdict
from thermograd.sampling.trajectory import ZarrStore

from .runs import WELL, made


@pytest.fixture(scope="module")
def well(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(WELL, tmp_path_factory.mktemp("runs") / "well")


@pytest.fixture
def copy(well: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(well, tmp_path / "copy"))


def by_check(record: RunRecord) -> dict[str, Finding]:
    return {found.check: found for found in verdict(record)}


def test_record_holds_what_the_store_holds(well: Path) -> None:
    record, store = read_record(well), ZarrStore(well / "trajectory.zarr", {})
    assert np.array_equal(record.posterior["q"], store.read(("posterior", "q"), 400))
    assert (record.num_walkers, record.num_draws, record.steps_done) == (4, 400, 400)
    assert record.num_evaluations == 401  # one before the first step
    assert record.is_finished
    assert record.has_all_positions


def test_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no run"):
        read_record(tmp_path)


def test_run_without_a_draw_is_refused(copy: Path) -> None:
    shutil.rmtree(copy / "trajectory.zarr")
    with pytest.raises(StoreError, match=r"no trajectory\.zarr"):
        read_record(copy)


def test_half_written_run_is_refused(copy: Path) -> None:
    ZarrStore(copy / "trajectory.zarr", {}).cut(3)
    with pytest.raises(StoreError, match="half-written: it has 3 draws"):
        read_record(copy)


@pytest.mark.parametrize("num_draws", [4, 5, 6, 7])
def test_shortest_runs_have_a_summary(copy: Path, num_draws: int) -> None:
    ZarrStore(copy / "trajectory.zarr", {}).cut(num_draws)
    record = read_record(copy)
    assert record.summary["q[0]"].ess > 0
    assert verdict(record)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("run.toml", "[run]\nmethod = ", "cannot be read"),
        ("run.toml", "[run]\nsteps = 3\n[target]\n", "no 'walkers'"),
        ("trajectory.zarr/zarr.json", "{", "cannot be read"),
        ("trajectory.zarr/posterior/q/zarr.json", '{"shape": 3}', "cannot be read"),
    ],
)
def test_damaged_run_is_refused(copy: Path, file: str, text: str, said: str) -> None:
    (copy / file).write_text(text)
    with pytest.raises(StoreError, match=said):
        read_record(copy)


def test_cut_chunk_is_refused(copy: Path) -> None:
    chunk = next(
        path for path in (copy / "trajectory.zarr/posterior/q/c").rglob("*") if path.is_file()
    )
    chunk.write_bytes(chunk.read_bytes()[:10])
    with pytest.raises(StoreError, match="cannot be read"):
        read_record(copy)


def test_run_that_was_stopped_says_how_far_it_got(copy: Path) -> None:
    text = (copy / "run.toml").read_text()
    (copy / "run.toml").write_text(text.replace("steps = 400", "steps = 1300"))
    (copy / "events.jsonl").write_text("")
    record = read_record(copy)
    found = by_check(record)
    assert found["stuck"] == Finding(
        "stuck", "open", "asked at the end of a run; this one has not got there"
    )
    assert found["kinetic temperature"].status == "open"
    assert "400 of 1,300 steps" in overall([found["stuck"]], record).says


def test_remarks_of_a_run_come_first_with_their_hints(copy: Path) -> None:
    event = {"step": 9, "kind": "heating", "says": "It heats by 0.3.", "hint": "Larger batches."}
    with (copy / "events.jsonl").open("a") as file:
        file.write(json.dumps(event) + '\n{"cut short')
    record = read_record(copy)
    found = verdict(record)
    assert Finding("heating", "remark", "It heats by 0.3.", "Larger batches.") in found
    statuses = [finding.status for finding in found]
    assert statuses == sorted(statuses, key=["remark", "open", "fine"].index)
    assert overall(found, record).status == "remark"


def test_walkers_that_were_lost_are_left_out(copy: Path) -> None:
    with (copy / "events.jsonl").open("a") as file:
        file.write(json.dumps({"step": 5, "kind": "diverged", "walker": 2, "hint": "Lower h."}))
    record = read_record(copy)
    assert record.chains == [0, 1, 3]
    assert by_check(record)["divergence"].says == "1 of 4 walkers diverged and are left out"
    assert record.positions["q"].shape == (3, 400, 1)


def test_temperatures_come_with_their_bands(copy: Path) -> None:
    lines = [
        {"step": 8, "kind": "kinetic_temperature", "q": [0.64, 0.3, 1.2]},
        {"step": 8, "kind": "configurational_temperature", "q": 0.81, "says": "It is off."},
    ]
    (copy / "events.jsonl").write_text("\n".join(map(json.dumps, lines)))
    kinetic, other = temperatures(read_record(copy))
    assert (kinetic.kind, kinetic.name, kinetic.value) == ("kinetic", "q", 0.64)
    assert (kinetic.low, kinetic.high) == (0.3, 1.2)
    assert (other.kind, other.value) == ("configurational", 0.81)
    assert math.isnan(other.low)


def test_trace_is_the_mean_over_walkers_and_blocks(well: Path) -> None:
    record = read_record(well)
    values = np.arange(4 * 400, dtype=float).reshape(4, 400)
    (trace,) = traces(replace(record, sample_stats={"mine": values}))
    assert len(trace.steps) == 300
    assert trace.steps[-1] == 400
    assert trace.mean[0] == np.mean(values[:, :2])  # 400 draws in 300 blocks: the first have two
    assert (trace.low[-1], trace.high[-1]) == (values[0, -1], values[3, -1])


def test_constant_and_short_series_have_no_time(well: Path) -> None:
    record = read_record(well)
    still = np.full((4, 400), 2.5)
    slow = np.cumsum(np.cos(np.arange(1600.0)).reshape(4, 400), axis=1) + np.arange(400) / 7
    rows = correlation_table(
        replace(record, sample_stats={"still": still, "slow": slow}, posterior={})
    )
    assert rows[0].says == "undefined: the trajectory is constant"
    assert math.isnan(rows[0].effective)
    assert rows[1].at_least == 400 / 50
    assert math.isnan(rows[1].time)


def test_walker_of_nan_is_left_out_of_the_table(well: Path) -> None:
    record = read_record(well)
    values = np.sin(np.arange(1600.0)).reshape(4, 400)
    values[1, 30:] = np.nan
    (row,) = correlation_table(replace(record, sample_stats={"mine": values}, posterior={}))
    assert row.mean == pytest.approx(np.nanmean(values[[0, 2, 3]]), rel=1e-12)
