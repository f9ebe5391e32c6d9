"""The README's training script, killed half-way in one process and resumed in another."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from .test_listings import ROOT, TIMEOUT_SECONDS, listings

README = (ROOT / "README.md").read_text()
QUICKSTART = README.partition("<!-- quickstart: begin -->")[2].partition("<!-- quickstart: end")[0]
SCRIPT = next(found.code for found in listings("README.md", QUICKSTART))
KILLED = 9
RESTORE = """
for part, state in zip((model, opt, schedule), torch.load("interrupted.pt"), strict=True):
    part.load_state_dict(state)
"""
SAVE = '\ntorch.save(list(model.parameters()), "{}.pt")\n'


def run(program: str, seed: int, folder: Path) -> int:
    seeded = f"import torch\ntorch.set_num_threads(1)\ntorch.manual_seed({seed})\n{program}"
    command = [sys.executable, "-c", seeded]
    return subprocess.run(command, cwd=folder, timeout=TIMEOUT_SECONDS, check=False).returncode


def resuming(program: str) -> str:
    setup, loop, rest = program.partition("for step in range(400):")
    assert loop
    return f"{setup}{RESTORE}{loop.replace('400', '150, 400')}{rest}"


def test_readme_is_short_and_its_script_has_15_lines() -> None:
    assert len(README.splitlines()) <= 150
    assert len([line for line in SCRIPT.splitlines() if line.strip()]) <= 15


@pytest.mark.training
def test_killed_run_resumes_to_the_same_weights(tmp_path: Path) -> None:
    kill = f"        __import__('os')._exit({KILLED})\n"
    assert run(SCRIPT + kill, 3, tmp_path) == KILLED
    assert run(resuming(SCRIPT) + SAVE.format("resumed"), 4, tmp_path) == 0
    assert run(SCRIPT + SAVE.format("whole"), 3, tmp_path) == 0
    resumed, whole = (torch.load(tmp_path / f"{name}.pt") for name in ("resumed", "whole"))
    assert all(torch.equal(a, b) for a, b in zip(resumed, whole, strict=True))


@pytest.mark.training
def test_run_that_forgets_its_random_stream_ends_elsewhere(tmp_path: Path) -> None:
    forgetful = resuming(SCRIPT).replace("(model, opt, schedule), torch", "(model,), torch")
    forgetful = forgetful.replace('"interrupted.pt"), strict', '"interrupted.pt")[:1], strict')
    assert run(SCRIPT + SAVE.format("whole"), 3, tmp_path) == 0
    assert run(forgetful + SAVE.format("resumed"), 4, tmp_path) == 0
    resumed, whole = (torch.load(tmp_path / f"{name}.pt") for name in ("resumed", "whole"))
    assert not torch.equal(resumed[0], whole[0])
