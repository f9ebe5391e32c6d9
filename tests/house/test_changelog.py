"""scripts/changelog: names of fragments, agreeing versions, and the assembly of a release."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .source_tree import ROOT

COPIED = ["CHANGELOG.md", "CITATION.cff", "pyproject.toml", "src/thermograd/__init__.py"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in COPIED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "README.md").write_text("About this folder.\n")
    (tmp_path / "changes" / "oba.added.md").write_text("OBA.\n")
    return tmp_path


def run(root: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, str(ROOT / "scripts" / "changelog"), "--root", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_check_accepts_the_project() -> None:
    assert run(ROOT, "check") == (0, "changelog: in order\n")


@pytest.mark.parametrize("name", ["oba.md", "oba.new.md", "OBA.added.md", "oba.added.txt"])
def test_check_refuses_a_misnamed_fragment(project: Path, name: str) -> None:
    (project / "changes" / name).write_text("Text.\n")
    code, said = run(project, "check")
    assert code == 1
    assert f"changes/{name} must be named" in said


def test_check_refuses_an_empty_fragment(project: Path) -> None:
    (project / "changes" / "oba.added.md").write_text("\n")
    code, said = run(project, "check")
    assert code == 1
    assert "is empty" in said


@pytest.mark.parametrize("name", COPIED)
def test_check_refuses_versions_that_differ(project: Path, name: str) -> None:
    path = project / name
    path.write_text(path.read_text().replace("0.1.0", "7.7.7", 1))
    code, said = run(project, "check")
    assert code == 1
    assert f"{name}: 7.7.7" in said


def test_release_moves_fragments_under_the_heading(project: Path) -> None:
    (project / "changes" / "bath.fixed.md").write_text("The bath\nkeeps its heat.\n")
    assert run(project, "release", "0.1.0", "--date", "2031-02-03")[0] == 0
    text = (project / "CHANGELOG.md").read_text()
    assert "## [0.1.0] - 2031-02-03\n\n### Added\n\n- OBA.\n\n### Fixed\n\n- The bath\n" in text
    assert "unreleased" not in text
    assert [path.name for path in (project / "changes").iterdir()] == ["README.md"]
    assert run(project, "check")[0] == 0


def test_release_puts_a_new_version_first(project: Path) -> None:
    for name in COPIED[1:]:
        path = project / name
        path.write_text(path.read_text().replace("0.1.0", "0.2.0"))
    assert run(project, "release", "0.2.0", "--date", "2031-02-03")[0] == 0
    text = (project / "CHANGELOG.md").read_text()
    assert text.index("## [0.2.0] - 2031-02-03") < text.index("## [0.1.0]")
    assert run(project, "check")[0] == 0


def test_release_refuses_a_version_the_package_does_not_state(project: Path) -> None:
    code, said = run(project, "release", "3.0.0")
    assert code == 1
    assert "set the version to 3.0.0 first" in said
    assert (project / "changes" / "oba.added.md").exists()


def test_release_refuses_to_release_twice(project: Path) -> None:
    assert run(project, "release", "0.1.0")[0] == 0
    (project / "changes" / "abo.added.md").write_text("ABO.\n")
    code, said = run(project, "release", "0.1.0")
    assert code == 1
    assert "already has a release 0.1.0" in said
