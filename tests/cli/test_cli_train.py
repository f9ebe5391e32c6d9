"""`thermograd run` of a file that trains, and `python -m thermograd`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command import thermograd

FILE = """
[train]
rule = "elastic"
replicas = 2
steps = 6
lr = 0.2
inner_steps = 3
coupling = 0.7

[model]
name = "mlp"
options = { sizes = [2, 3, 2] }

[data]
toy = "moons"
options = { num_points = 40 }
num_test = 10

[loss]
name = "cross_entropy"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "elastic.toml"
    path.write_text(FILE)
    return path


def test_run_prints_the_error_and_the_account(file: Path, tmp_path: Path) -> None:
    said = thermograd("run", str(file), "--out", str(tmp_path / "a"), "--seed", "5")
    assert said.code == 0, said.err
    assert "elastic, 2 replicas, 6 steps each" in said.out
    report = json.loads((tmp_path / "a" / "report.json").read_text())
    assert f"test error     {100 * report['test_error']:.2f}% of the master" in said.out
    assert f"{report['communication']['bytes']:,} bytes in 5 messages" in said.out
    assert "seed = 5" in (tmp_path / "a" / "training.toml").read_text()


def test_same_command_goes_on(file: Path, tmp_path: Path) -> None:
    words = ("run", str(file), "--out", str(tmp_path / "a"))
    thermograd(*words, "--set", "train.steps=3")
    said = thermograd(*words)
    assert said.out.startswith("Continued from step 3.")
    refused = thermograd(*words, "--set", "train.lr=0.3")
    assert refused.code == 2
    assert "other settings" in refused.err


def test_options_of_sampling_are_refused(file: Path) -> None:
    said = thermograd("run", str(file), "--walkers", "3")
    assert said.code != 0
    assert "--walkers is for sampling" in said.err


def test_module_is_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "thermograd", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("thermograd ")
