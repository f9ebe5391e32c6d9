"""Adding an integrator is one source file and one news fragment (Shows 4)."""

import shutil
from pathlib import Path

import pytest
from command import SOURCE, fresh

METHOD = '''"""OABAO's neighbour: bath, kick, drift, kick, bath, under another name.

References:
    Nobody (2031), One file.
"""

from ..claims import Claims
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "OBABO",
    claims=Claims(
        dynamics="langevin",
        weak_order=2,
        stationary_order=2,
        exact_marginals=frozenset({"p"}),
        is_time_reversible=True,
        is_symplectic=True,
    ),
)
'''


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with two files more, and no other edit."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(SOURCE, root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    before = contents(root)
    (root / "src" / "thermograd" / "integrators" / "newcomer.py").write_text(METHOD)
    (root / "changes").mkdir()
    (root / "changes" / "newcomer.added.md").write_text("The integrator `newcomer`.\n")
    after = contents(root)
    assert {path for path in after if after[path] != before.get(path)} == {
        "src/thermograd/integrators/newcomer.py",
        "changes/newcomer.added.md",
    }
    return root / "src"


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_list_sees_it(copy: Path) -> None:
    assert "\nnewcomer " in fresh("list", source=copy).out


def test_show_sees_it(copy: Path) -> None:
    data = fresh("show", "newcomer", "--json", source=copy).data
    assert data["claims"]["exact_marginals"] == ["p"]


def test_cite_sees_it(copy: Path) -> None:
    assert fresh("cite", "newcomer", source=copy).out == "Nobody (2031), One file.\n"


def test_contracts_check_it(copy: Path) -> None:
    said = fresh("verify", "newcomer", "--json", source=copy)
    assert (said.code, said.err) == (0, "")
    assert said.data["methods"][0]["verdicts"]


def test_contracts_notice_its_false_claim(copy: Path) -> None:
    path = copy / "thermograd" / "integrators" / "proud.py"
    path.write_text(METHOD.replace('frozenset({"p"})', 'frozenset({"p", "q"})'))
    said = fresh("verify", "proud", source=copy)
    path.unlink()
    assert said.code == 1
    assert "FALSE" in said.out


def test_python_finds_it(copy: Path) -> None:
    program = "from thermograd.integrators import resolve; print(resolve('newcomer'))"
    assert fresh(program=program, source=copy).out == "OBABO\n"
