"""The list of deliberate faults fits the source; all of them die (on request)."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MIN_FAULTS = 24

PLANTED = """
[[mutant]]
name = "harmless"
file = "src/thermograd/schedules.py"
find = "return float(self.value)"
replace = "return 1.0 * self.value"
tests = ["tests/test_schedules.py"]
why = "the same number"
"""


def mutants(*arguments: str) -> tuple[int, str]:
    """Run scripts/mutants; return its exit code and what it printed."""
    command = [sys.executable, str(ROOT / "scripts" / "mutants"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def planted(folder: Path, find: str = "", replace: str = "") -> str:
    """Write a list of one fault, changed; return its path."""
    assert not find or find in PLANTED
    path = folder / "list.toml"
    path.write_text(PLANTED.replace(find, replace) if find else PLANTED, encoding="utf-8")
    return str(path)


def test_every_text_is_in_the_source_once() -> None:
    code, said = mutants("--check")
    assert code == 0, said
    assert int(said.split()[0]) >= MIN_FAULTS


@pytest.mark.parametrize(
    ("find", "replace", "message"),
    [
        ("return float(self.value)", "return nothing", "its text is 0 times in"),
        ("return float(self.value)", "return", "its text is 9 times in"),
        ("schedules.py", "nowhere.py", "its text is 0 times in src/thermograd/nowhere.py"),
        ("return 1.0 * self.value", "return float(self.value)", "changes nothing"),
        ('["tests/test_schedules.py"]', "[]", "names no test"),
        ("tests/test_schedules.py", "tests/test_no.py", "there is no test tests/test_no.py"),
        ('schedules.py"]', 'schedules.py::test_no"]', "there is no test tests/test_schedules.py"),
    ],
)
def test_a_rotten_list_is_refused(tmp_path: Path, find: str, replace: str, message: str) -> None:
    code, said = mutants("--check", "--list", planted(tmp_path, find, replace))
    assert code == 2
    assert message in said


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    code, said = mutants("--list", planted(tmp_path), "harmful")
    assert (code, said) == (2, "harmful: no such fault\n")


@pytest.mark.long
def test_a_survivor_is_reported(tmp_path: Path) -> None:
    code, said = mutants("--list", planted(tmp_path))
    assert code == 1
    assert said.startswith("SURVIVED")
    assert "alive: harmless" in said


@pytest.mark.long
def test_every_fault_dies() -> None:
    code, said = mutants()
    assert code == 0, said
