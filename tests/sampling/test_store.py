"""Runs on disk: readable by others, resumable from any kill, safe from two hands at once."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import xarray

from thermograd._errors import StateError, StoreError
from thermograd.noise import seeded
from thermograd.potentials import NoisyForce, Potential, Quartic, Sum
from thermograd.sampling import Run, View, resume, summary_of
from thermograd.sampling import run as run_module
from thermograd.sampling.folder import RunFolder
from thermograd.sampling.stepping import EagerStep

from .targets import centres
from .test_run import sampled

NAMES = {"posterior": {"centre"}, "sample_stats": {"potential", "kinetic_temperature"}}


def same(one: Run, two: Run) -> bool:
    """Tell whether two runs recorded the same and stand at the same state, bit for bit."""
    arrays = [run.posterior | run.sample_stats for run in (one, two)]
    recorded = all(np.array_equal(arrays[0][name], arrays[1][name]) for name in arrays[0])
    streams = [run.world.save() for run in (one, two)]
    drawn = all(torch.equal(streams[0][name], streams[1][name]) for name in streams[0])
    return recorded and drawn and torch.equal(one.part.q[0], two.part.q[0])


class KilledError(Exception):
    """Stands for a kill."""


def killed_at(
    step: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    target: Potential | None = None,
    **changes: Any,
) -> None:
    """Run until just before a step and die there, with checkpoints on the way."""
    calls = 0
    monkeypatch.setattr(run_module, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(run_module, "CHECKPOINT_SHARE", 0)
    real = EagerStep.__call__

    def call(self: EagerStep, h: float) -> None:
        nonlocal calls
        calls += 1
        if calls > step:
            raise KilledError
        real(self, h)

    with monkeypatch.context() as patch:
        patch.setattr(EagerStep, "__call__", call)
        with pytest.raises(KilledError):
            sampled(target or centres(), store=folder, **changes)


def test_stored_run_equals_the_one_in_memory(tmp_path: Path) -> None:
    kept, held = sampled(centres(), store=tmp_path / "run"), sampled(centres())
    assert same(kept, held)
    kept.close()


def test_others_can_read_the_trajectory(tmp_path: Path) -> None:
    run = sampled(centres(), store=tmp_path / "run")
    with xarray.open_datatree(tmp_path / "run" / "trajectory.zarr", engine="zarr") as tree:
        assert {name: set(tree[name].data_vars) for name in NAMES} == NAMES
        assert tree["posterior/centre"].dims == ("chain", "draw", "centre_dim_0")
        assert np.array_equal(np.asarray(tree["posterior/centre"]), run.posterior["centre"])
        own = run.to_arviz()
        assert own["posterior/centre"].dims == tree["posterior/centre"].dims
        assert own["posterior"].to_dataset().equals(tree["posterior"].to_dataset())
    run.close()


def test_settings_are_written_in_full(tmp_path: Path) -> None:
    run = sampled(centres(), store=tmp_path / "run", friction=float("inf"), observables=["virial"])
    assert run.folder is not None
    tables = run.folder.read_settings()
    assert tables["run"]["friction"] == float("inf")
    assert tables["run"]["observables"] == ["virial"]
    assert tables["versions"]["torch"] == torch.__version__
    assert tables["target"]["num_params"] == 2
    run.close()


@pytest.mark.parametrize("step", [0, 1, 2, 31, 59])
def test_resumed_run_is_the_uninterrupted_one(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    killed_at(step, folder, monkeypatch, every=2)
    resumed = resume(folder, centres(), progress=False)
    assert same(resumed, sampled(centres(), every=2))
    assert resumed.world.evaluate.counts == sampled(centres(), every=2).world.evaluate.counts
    assert [event["kind"] for event in resumed.events].count("resumed") == 1
    resumed.close()


def test_noise_of_the_target_is_resumed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def target() -> Sum:
        noisy = NoisyForce(Quartic(1.3, 0.4, 2), 0.3, seeded(7))
        return Sum({"noisy": noisy, "exact": Quartic(0.7, 0.2, 2)})

    settings: dict[str, Any] = {"start": torch.full((3, 2), 0.4, dtype=torch.float64)}
    whole = sampled(target(), **settings)
    killed_at(31, tmp_path / "run", monkeypatch, target(), **settings)
    resumed = resume(tmp_path / "run", target(), progress=False)
    assert same(resumed, whole)
    resumed.close()


def test_trajectory_is_cut_back_to_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    killed_at(31, folder, monkeypatch)
    newest = max(folder.glob("checkpoint-*.json"))
    newest.unlink()
    newest.with_suffix(".safetensors").unlink()
    resumed = resume(folder, centres(), progress=False)
    assert same(resumed, sampled(centres()))
    resumed.close()


def test_finished_run_is_extended_after_resuming(tmp_path: Path) -> None:
    sampled(centres(), store=tmp_path / "run", steps=30).close()
    longer = resume(tmp_path / "run", centres(), progress=False).extend(30, progress=False)
    assert same(longer, sampled(centres(), steps=60))
    assert summary_of(tmp_path / "run")["centre[0]"] == longer.summary()["centre[0]"]
    longer.close()


def test_writes_cut_short_are_swept_away(tmp_path: Path) -> None:
    sampled(centres(), store=tmp_path / "run", steps=30).close()
    store = tmp_path / "run" / "trajectory.zarr"
    for folder in (store, store / "posterior", store / "posterior" / "centre"):
        (folder / "zarr.0123abcd.partial").write_text("{")
    assert summary_of(tmp_path / "run")["centre[0]"].ess > 0
    assert len(list(store.rglob("*.partial"))) == 3
    longer = resume(tmp_path / "run", centres(), progress=False).extend(30, progress=False)
    assert same(longer, sampled(centres(), steps=60))
    assert list(store.rglob("*.partial")) == []
    longer.close()


def test_compiled_run_resumes_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    sampled(centres(), store=tmp_path / "run", steps=30, compile=True).close()
    longer = resume(tmp_path / "run", centres(), progress=False).extend(30, progress=False)
    assert longer.settings.compile is True
    assert same(longer, sampled(centres(), steps=60, compile=True))
    longer.close()


def test_checkpoints_cut_short_are_swept_away(tmp_path: Path) -> None:
    sampled(centres(), store=tmp_path / "run", steps=30).close()
    for name in ("000000000017.safetensors", "000000000019.json.partial"):
        (tmp_path / "run" / f"checkpoint-{name}").write_text("{")
    resume(tmp_path / "run", centres(), progress=False).extend(10, progress=False).close()
    found = sorted(path.name for path in (tmp_path / "run").glob("checkpoint-*"))
    assert [name.split(".")[1] for name in found] == ["json", "safetensors"] * 2


@pytest.mark.parametrize("damage", ["truncate", "flip", "json"])
def test_damaged_checkpoint_is_named_and_the_one_before_used(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    killed_at(31, folder, monkeypatch)
    newest = max(folder.glob("checkpoint-*.safetensors"))
    content = newest.read_bytes()
    if damage == "truncate":
        newest.write_bytes(content[:-9])
    elif damage == "flip":
        newest.write_bytes(content[:-9] + bytes([content[-9] ^ 4]) + content[-8:])
    else:
        newest.with_suffix(".json").write_text('{"step": 3')
    resumed = resume(folder, centres(), progress=False)
    (event,) = [event for event in resumed.events if event["kind"] == "damaged_checkpoint"]
    assert newest.stem in str(event["says"])
    assert same(resumed, sampled(centres()))
    resumed.close()


def test_no_whole_checkpoint_is_an_error(tmp_path: Path) -> None:
    sampled(centres(), store=tmp_path / "run").close()
    for path in (tmp_path / "run").glob("checkpoint-*.safetensors"):
        path.write_bytes(b"")
    with pytest.raises(StoreError, match=r"no checkpoint of .* can be read .*damaged"):
        resume(tmp_path / "run", centres(), progress=False)


def test_another_target_is_refused(tmp_path: Path) -> None:
    sampled(centres(), store=tmp_path / "run").close()
    for other in (centres(seed=4), Quartic(1.3, 0.4, 2)):
        with pytest.raises(StateError, match="run of another target"):
            resume(tmp_path / "run", other)


def test_own_parts_of_a_run_are_asked_for(tmp_path: Path) -> None:
    def radius(view: View) -> torch.Tensor:
        return view.part.q[0].norm(dim=1)

    def shrinking(step: int) -> float:
        return 0.1 / (1 + step / 40)

    folder = tmp_path / "run"
    run = sampled(centres(), store=folder, step_size=shrinking, observables=[radius])
    run.close()
    with pytest.raises(StateError, match="pass it as `step_size`"):
        resume(folder, centres())
    with pytest.raises(StateError, match="of your own are radius"):
        resume(folder, centres(), step_size=shrinking)
    longer = resume(folder, centres(), step_size=shrinking, observables=[radius], progress=False)
    longer.extend(20, progress=False)
    whole = sampled(centres(), step_size=shrinking, observables=[radius], steps=80)
    assert same(longer, whole)
    longer.close()


def test_a_system_without_flock_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thermograd.sampling.folder.sys.platform", "win32")
    with pytest.raises(StoreError, match="leave out `store`"):
        RunFolder.create(tmp_path / "run")


def test_two_hands_on_one_folder_are_refused(tmp_path: Path) -> None:
    run = sampled(centres(), store=tmp_path / "run")
    with pytest.raises(StoreError, match=f"in use by process {os.getpid()}"):
        resume(tmp_path / "run", centres())
    run.close()
    resume(tmp_path / "run", centres()).close()


def test_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    sampled(centres(), store=tmp_path / "run").close()
    with pytest.raises(StoreError, match="holds a run already; continue it"):
        sampled(centres(), store=tmp_path / "run")


def test_unwritable_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot make the run folder"):
        sampled(centres(), store=tmp_path / "file" / "run")


def test_folder_without_a_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no run.toml"):
        resume(tmp_path, centres())
    with pytest.raises(StoreError, match=r"there is no run.toml"):
        summary_of(tmp_path)


def test_trajectory_larger_than_the_disk_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="the trajectory takes"):
        sampled(centres(), store=tmp_path / "run", steps=10**14)


def test_events_survive_a_line_cut_short(tmp_path: Path) -> None:
    run = sampled(centres(), store=tmp_path / "run")
    log = tmp_path / "run" / "events.jsonl"
    assert all("time" in json.loads(line) for line in log.read_text().splitlines())
    with log.open("a") as file:
        file.write('{"step": 3, "ki')
    assert run.folder is not None
    assert len(run.folder.events()) == len(run.events)
    run.close()


def test_first_interrupt_leaves_a_resumable_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = EagerStep.__call__, 0

    def call(self: EagerStep, h: float) -> None:
        nonlocal calls
        calls += 1
        if calls == 23:
            os.kill(os.getpid(), signal.SIGINT)
        real(self, h)

    with monkeypatch.context() as patch:
        patch.setattr(EagerStep, "__call__", call)
        with pytest.raises(KeyboardInterrupt):
            sampled(centres(), store=tmp_path / "run")
    resumed = resume(tmp_path / "run", centres(), progress=False)
    assert same(resumed, sampled(centres()))
    assert "interrupted" in [event["kind"] for event in resumed.events]
    resumed.close()


PROGRAM = """
import sys
from pathlib import Path
from thermograd.sampling import resume, run
from tests.sampling.targets import centres
from tests.sampling.test_run import sampled
run.CHECKPOINT_SECONDS = 0.0
run.CHECKPOINT_SHARE = 0
folder = Path(sys.argv[1])
if (folder / "run.toml").exists():
    resume(folder, centres(), progress=False)
else:
    sampled(centres(), store=folder, every=20, steps=int(sys.argv[2]))
"""


def run_with_kills(folder: Path, kills: int, steps: int) -> None:
    """Run the program to its end, killing it `kills` times on the way at random moments."""
    moments = torch.rand(kills, generator=seeded(8)).tolist()
    root = Path(__file__).parents[2]
    for moment in [*moments, None]:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder), str(steps)], cwd=root
        )
        if moment is None:
            assert process.wait(timeout=120) == 0
            return
        # importing takes seconds, the steps a few: wait for the run to move, then a moment
        seen, deadline = sorted(folder.glob("checkpoint-*")), time.monotonic() + 60
        while sorted(folder.glob("checkpoint-*")) == seen and time.monotonic() < deadline:
            if process.poll() is not None:
                break
            time.sleep(0.005)
        time.sleep(0.3 * moment)
        process.send_signal(signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("kills", [5, pytest.param(50, marks=pytest.mark.long)])
def test_killed_run_ends_like_the_uninterrupted_one(kills: int, tmp_path: Path) -> None:
    steps = 1000 * kills
    run_with_kills(tmp_path / "run", kills, steps)
    survivor = resume(tmp_path / "run", centres(), progress=False)
    assert same(survivor, sampled(centres(), every=20, steps=steps))
    survivor.close()
