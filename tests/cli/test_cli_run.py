"""`thermograd run`, `resume` and `summary`: a file in, a run folder out, and errors in one line."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import PROGRAM, SOURCE, Said, thermograd

from thermograd.sampling.folder import RunFolder
from thermograd.sampling.trajectory import ZarrStore

WELL = """
[run]
walkers = 3
steps = 60
temperature = 0.7
step_size = 0.1
friction = 0.8
mass = 1.3
compile = false

[potential]
name = "DoubleWell"
stiffness = 0.8
well = 1.2
"""
NETWORK = """
[run]
walkers = 3
steps = 30
temperature = 0.7
step_size = { kind = "Polynomial", a = 0.02, b = 30.0, power = 0.6 }
params = ["*.bias"]
observables = ["accuracy"]
compile = false

[model]
name = "mlp"
options = { sizes = [2, 5, 2], activation = "tanh" }
frozen = ["0.weight"]
init = "jitter"
spread = 0.3

[data]
toy = "moons"
options = { num_points = 40, noise = 0.2 }
batch_size = 8

[loss]
name = "cross_entropy"

[prior]
name = "PerParameter"

[prior.priors]
"*.bias" = { name = "Laplace", scale = 1.7 }
"*" = { name = "Gaussian", sd = 1.4 }
"""


def written(folder: Path, text: str = WELL, name: str = "mine.toml") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def draws(folder: Path) -> dict[tuple[str, str], bytes]:
    store = ZarrStore(folder / "trajectory.zarr", {})
    return {key: store.read(key, store.num_draws).tobytes() for key in store.names()}


@pytest.mark.parametrize("text", [WELL, NETWORK], ids=["potential", "network"])
def test_resume_needs_the_folder_only(text: str, tmp_path: Path) -> None:
    file, short, whole = written(tmp_path, text), tmp_path / "short", tmp_path / "whole"
    assert thermograd("run", file, "--out", str(short), "--set", "run.steps=20").code == 0
    Path(file).unlink()
    extended = thermograd("resume", str(short), "--steps", "40")
    assert extended.code == 0
    assert f"Run folder: {short}" in extended.out
    again = written(tmp_path, text)
    assert thermograd("run", again, "--out", str(whole), "--set", "run.steps=60").code == 0
    assert draws(short) == draws(whole)


def test_options_change_the_file(tmp_path: Path) -> None:
    file, out = written(tmp_path), tmp_path / "run"
    options = ("--seed", "7", "--walkers", "2", "--set", "potential.well=0.9")
    words = (*options, "--set", "run.method=obabo", "--set", "run.friction=inf")
    assert thermograd("run", file, "--out", str(out), *words).code == 0
    said = (out / "run.toml").read_text()
    for line in ("seed = 7", "walkers = 2", "well = 0.9", 'method = "obabo"', "friction = inf"):
        assert f"\n{line}\n" in said


def test_run_toml_of_a_run_starts_the_same_run(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert thermograd("run", written(tmp_path, NETWORK), "--out", str(one)).code == 0
    assert thermograd("run", str(one / "run.toml"), "--out", str(two)).code == 0
    assert draws(one) == draws(two)


def test_default_folder_is_out_and_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert thermograd("run", written(tmp_path)).code == 0
    assert (tmp_path / "out" / "mine" / "run.toml").is_file()
    again = thermograd("run", "mine.toml")
    assert (again.code, again.err.count("\n")) == (2, 1)
    assert "`thermograd resume out/mine`" in again.err


def test_held_out_rows_are_scored(tmp_path: Path) -> None:
    text = (
        NETWORK.replace('params = ["*.bias"]\n', "")
        .replace('frozen = ["0.weight"]\n', "")
        .replace("batch_size = 8", "num_test = 9")
    )
    out = tmp_path / "run"
    said = thermograd("run", written(tmp_path, text), "--out", str(out))
    assert "On held-out rows: nll " in said.out
    assert "On held-out rows: nll " in thermograd("summary", str(out)).out
    data = thermograd("summary", str(out), "--json").data
    assert set(data["held_out"]) == {"nll", "accuracy", "ece"}


def test_summary_as_text_and_json(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert thermograd("run", written(tmp_path), "--out", str(out)).code == 0
    said = thermograd("summary", str(out))
    assert said.out.startswith("baoab on DoubleWell, 3 walkers, 60 steps, T = 0.7\n")
    data = thermograd("summary", str(out), "--json").data
    lines = {line["name"]: line for line in data["lines"]}
    assert lines["kinetic_temperature"]["expected"] == 0.7
    assert lines["q[0]"]["expected"] is None
    short = tmp_path / "short"
    assert (
        thermograd("run", written(tmp_path), "--out", str(short), "--set", "run.steps=2").code == 0
    )
    data = thermograd("summary", str(short), "--json").data
    assert {line["ess"] for line in data["lines"]} == {None}


def damaged(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("steps = 60", "setps = 60", "line 4: no key of [run] is called 'setps'. Did you mean 's"),
        ("steps = 60", 'steps = "many"', "line 4: the 'steps' of [run] must be an integer; got 'm"),
        ("steps = 60", "steps = 0", "line 4: the 'steps' of [run] must be above 0; got 0"),
        ("steps = 60", "steps = 60\nburn_in = 60", "line 5: the 'burn_in' of [run] must be below"),
        ("= 0.7", "= nan", "line 5: the 'temperature' of [run] must be"),
        ("= 0.1", "= -0.1", "line 6: the 'step_size' of [run] must be a finite number above 0"),
        (
            "= 0.1",
            '= { kind = "Linear" }',
            "line 6: the 'step_size' of [run] must be a table whose",
        ),
        ("= 0.1", '= { kind = "Constant" }', "line 6: the 'step_size' of [run] must fit its sched"),
        ("= false", '= "no"', "line 9: the 'compile' of [run] must be one of 'auto'"),
        (
            "[potential]",
            "[potentail]",
            "line 11: no key of the configuration is called 'potentail'",
        ),
        (
            "DoubleWell",
            "DubleWell",
            "line 11: no analytic potential is called 'DubleWell'. Did you",
        ),
        ("stiffness", "stifness", "line 11: no option of DoubleWell is called 'stifness'. Did you"),
        ("= 0.8\nwell", "= -3.0\nwell", "line 11: the 'stiffness' of DoubleWell must be a finite"),
        ("[potential]", "[model]\nname = 'mlp'\n[potential]", "line 11: [model] belongs to a net"),
        ("[run]", "[run", "mine.toml is no TOML: "),
        ("walkers = 3", "", "line 2: [run] needs 'walkers'"),
    ],
)
def test_wrong_file_is_one_line_with_the_place(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    file = written(tmp_path, damaged(WELL, old, new))
    done = thermograd("run", file, "--out", str(tmp_path / "run"))
    assert (done.code, done.err.count("\n"), done.out) == (2, 1, "")
    assert said in done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"mlp"', '"mlq"', "line 11: no model is called 'mlq'. Did you mean 'mlp'"),
        ('"mlp"', '"nowhere.to:be"', "line 11: no module 'nowhere.to' can be imported"),
        ("sizes =", "width = 3, sizes =", "line 11: the options of the model 'mlp' do not fit"),
        ('"0.weight"', '"conv"', "line 11: no "),
        ('"moons"', '"moon"', "line 18: no toy data is called 'moon'. Did you mean 'moons'"),
        (
            'toy = "moons"',
            "",
            "line 18: [data] needs exactly one of name, text, toy, file; it has none",
        ),
        ('toy = "moons"', 'file = "x.csv"', "line 20: the 'options' of [data] are those of 'toy'"),
        ("batch_size = 8", "batch_size = 41", "line 11: the 'batch_size' of Network must be at"),
        ('"cross_entropy"', '"cross"', "line 23: no loss is called 'cross'. Did you mean 'cross_"),
        ("sd = 1.4", "sd = 0.0", "line 26: the 'sd' of Gaussian must be a finite number above 0"),
        ("[2, 5, 2]", "[3, 5, 2]", "line 11: "),
        ('[loss]\nname = "cross_entropy"', "", "there is no target"),
    ],
)
def test_wrong_network_is_one_line_with_the_place(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    file = written(tmp_path, damaged(NETWORK, old, new))
    done = thermograd("run", file, "--out", str(tmp_path / "run"))
    assert (done.code, done.err.count("\n"), done.out) == (2, 1, "")
    assert said in done.err


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("run.steps", "--set takes key=value, such as run.steps=500; got 'run.steps'"),
        ("run.setps=5", "--set run.setps=5: no key of [run] is called 'setps'. Did you mean 's"),
        ("steps=5", "no key of the configuration is called 'steps'. Did you mean 'run.steps'"),
        ("run.steps=5x", "--set run.steps=5x: the 'steps' of [run] must be an integer; got '5x'"),
        ("run.steps.x=5", "--set run.steps.x: 'steps' is a value and has no keys"),
    ],
)
def test_wrong_setting_is_one_line(setting: str, said: str, tmp_path: Path) -> None:
    done = thermograd("run", written(tmp_path), "--set", setting)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err


def test_subjects_that_are_not_there(tmp_path: Path) -> None:
    assert "cannot read nowhere.toml: No such file" in thermograd("run", "nowhere.toml").err
    assert "no experiment is called 'nowhere'" in thermograd("run", "nowhere").err
    file = written(tmp_path)
    assert "--smoke is for experiments" in thermograd("run", file, "--smoke").err
    assert "are for a FILE.toml" in thermograd("run", "nowhere", "--walkers", "3").err


def test_folders_that_are_no_run(tmp_path: Path) -> None:
    for command in ("resume", "summary"):
        done = thermograd(command, str(tmp_path))
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert "holds no run: there is no run.toml in it" in done.err
        for text, said in (("[run", "cannot be read"), ("[run]\n", "it has no table [target]")):
            (tmp_path / "run.toml").write_text(text)
            done = thermograd(command, str(tmp_path))
            assert (done.code, said in done.err) == (2, True)
        (tmp_path / "run.toml").unlink()
    unwritable = thermograd("run", written(tmp_path), "--out", "/proc/nothing/here")
    assert (unwritable.code, unwritable.err.count("\n")) == (2, 1)
    assert "cannot make the run folder /proc/nothing/here" in unwritable.err


def finished(tmp_path: Path, text: str = WELL) -> Path:
    out = tmp_path / "run"
    assert thermograd("run", written(tmp_path, text), "--out", str(out)).code == 0
    return out


def test_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    out = finished(tmp_path)
    holder = RunFolder.open(out)
    done = thermograd("resume", str(out), "--steps", "5")
    holder.close()
    assert done.code == 2
    assert f"is in use by process {os.getpid()}" in done.err


def test_folder_of_another_target_is_refused(tmp_path: Path) -> None:
    out = finished(tmp_path)
    path = out / "run.toml"
    path.write_text(damaged(path.read_text(), "well = 1.2", "well = 1.3"))
    done = thermograd("resume", str(out), "--steps", "5")
    assert done.code == 2
    assert "is a run of another target: its fingerprint is" in done.err


@pytest.mark.parametrize("damage", ["truncated", "flipped"])
def test_damaged_checkpoint_is_named_and_the_one_before_used(damage: str, tmp_path: Path) -> None:
    out = finished(tmp_path)
    assert thermograd("resume", str(out), "--steps", "40").code == 0
    before = draws(out)
    newest = max(out.glob("checkpoint-*.safetensors"))
    content = bytearray(newest.read_bytes())
    content[-3] ^= 4
    newest.write_bytes(content[:-9] if damage == "truncated" else content)
    done = thermograd("resume", str(out))
    assert done.code == 0
    assert f"{newest.stem}: damaged" in done.err
    assert "checkpoint-000000000060 is used instead" in done.err
    assert draws(out) == before


def test_run_that_the_disk_cannot_hold_is_refused(tmp_path: Path) -> None:
    settings = ("--set", "run.steps=1000000000000", "--set", "run.walkers=1000")
    done = thermograd("run", written(tmp_path), "--out", str(tmp_path / "run"), *settings)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "the trajectory takes 1.2e+07 GB" in done.err


ROOMY = """
import collections, shutil
usage = collections.namedtuple("usage", "total used free")
shutil.disk_usage = lambda path: usage(1 << 60, 0, 1 << 60)
"""
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
"""


@contextmanager
def started(*words: str, before: str = "") -> Generator[subprocess.Popen[str]]:
    """Start a command in a process of its own, and end it in any case."""
    with subprocess.Popen(
        [sys.executable, "-c", before + PROGRAM, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_long_run_is_announced_and_ctrl_c_leaves_it_resumable(tmp_path: Path) -> None:
    out, small = tmp_path / "run", "run.params=['q']"
    # 3 walkers × (q, U, kinetic temperature) × 4 bytes: 36 bytes a draw
    words = ("run", written(tmp_path), "--out", str(out), "--set", small)
    with started(*words, "--set", "run.steps=277777778", before=ROOMY) as running:
        assert running.stderr is not None
        first = running.stderr.readline()
        assert f"The trajectory will take 10 GB in {out}: 277,777,778 draws." in first
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        said = Said(running.wait(60), "", running.stderr.read())
    assert said.code == 130
    assert said.err.endswith(f"Interrupted. Continue: thermograd resume {out}\n")
    assert (out / "run.toml").is_file()
    step = json.loads(max(out.glob("checkpoint-*.json")).read_text())["step"]
    assert 0 < step < 277777778
    path = out / "run.toml"
    path.write_text(damaged(path.read_text(), "steps = 277777778", f"steps = {step + 10}"))
    assert thermograd("resume", str(out)).code == 0
    whole = tmp_path / "whole"
    same = ("run", written(tmp_path), "--out", str(whole), "--set", f"run.steps={step + 10}")
    assert thermograd(*same).code == 0
    assert draws(out) == draws(whole)


def test_killed_run_resumes_bit_for_bit(tmp_path: Path) -> None:
    out, whole = tmp_path / "run", tmp_path / "whole"
    words = ("run", written(tmp_path, NETWORK), "--set", "run.steps=400")
    with started(*words, "--out", str(out)) as running:
        deadline = time.monotonic() + 60
        while not (out / "run.toml").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        running.kill()
    assert thermograd("resume", str(out)).code == 0
    assert thermograd(*words, "--out", str(whole)).code == 0
    assert draws(out) == draws(whole)


def test_full_disk_says_how_to_go_on(tmp_path: Path) -> None:
    out, whole = tmp_path / "run", tmp_path / "whole"
    words = ("run", written(tmp_path), "--set", "run.steps=3000", "--walkers", "8")
    with started(*words, "--out", str(out), before=FULL) as running:
        _, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert f"error: {out} cannot be written: File too large. Make room, then continue" in err
    assert thermograd("resume", str(out)).code == 0
    assert thermograd(*words, "--out", str(whole)).code == 0
    assert draws(out) == draws(whole)
