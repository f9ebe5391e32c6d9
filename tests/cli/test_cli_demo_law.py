"""`thermograd demo law`, at a reduced size, and its formulas and records."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from command import Said, thermograd

from thermograd.cli import _demo_law
from thermograd.cli import _demo_law_theory as theory

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "out"


@pytest.fixture(scope="module")
def said(folder: Path) -> Said:
    return thermograd("demo", "law", "--size", "smoke", "--out", str(folder), "--seed", "3")


def test_demo_succeeds_and_says_what_was_seen(said: Said) -> None:
    assert said.code == 0
    assert "as predicted" in " ".join(said.out.split())
    assert "Next: `thermograd show baoab`" in said.out


def test_demo_prints_a_row_for_every_average(said: Said) -> None:
    rows = [line.split() for line in said.out.splitlines() if "⟨" in line and " h " not in line]
    found = {(row[0], row[1], row[3]) for row in rows if row[0] in {"harmonic", "double"}}
    both = [(method, name) for method in ("BAOAB", "OBABO") for name in ("⟨q²⟩", "⟨p²⟩")]
    averages = [*both, ("SGLD", "⟨q²⟩")]
    assert found == {(well, *average) for well in ("harmonic", "double") for average in averages}


def test_demo_shows_progress_in_lines_where_there_is_no_terminal(said: Said) -> None:
    assert said.err.count("sampling: ") == 6


def test_demo_draws_the_figure(said: Said, folder: Path) -> None:
    picture = (folder / "stationary-law.png").read_bytes()
    assert picture.startswith(PNG)
    assert len(picture) > 20_000
    assert ElementTree.parse(folder / "stationary-law.svg").getroot().tag.endswith("svg")


def test_demo_keeps_its_numbers(said: Said, folder: Path) -> None:
    data = json.loads((folder / "stationary-law.json").read_text())
    assert set(data) == {"averages", "histograms", "exact"}
    assert len(data["averages"]) == 2 * 4 * 5
    for histogram in data["histograms"]:
        width = histogram["edges"][1] - histogram["edges"][0]
        assert sum(histogram["density"]) * width == pytest.approx(1.0)


@pytest.mark.statistical
def test_demo_measures_what_it_predicts(said: Said, folder: Path) -> None:
    """Twenty averages within 6 standard errors: false alarm 2e-6 with 64 walkers."""
    data = json.loads((folder / "stationary-law.json").read_text())
    known = [average for average in data["averages"] if average["predicted"] is not None]
    assert len(known) == 20
    for average in known:
        assert average["standard_error"] < 0.04
        assert abs(average["measured"] - average["predicted"]) < 6 * average["standard_error"]


def test_same_seed_same_numbers(folder: Path, said: Said, tmp_path: Path) -> None:
    thermograd("demo", "law", "--size", "smoke", "--out", str(tmp_path), "--seed", "3")
    first, second = (path / "stationary-law.json" for path in (folder, tmp_path))
    assert first.read_text() == second.read_text()


def test_without_matplotlib_the_table_remains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_demo_law, "has_matplotlib", lambda: False)
    said = thermograd("demo", "law", "--size", "smoke", "--out", str(tmp_path))
    assert said.code == 0
    assert "pip install 'thermograd[analysis]'" in said.out
    assert [path.name for path in tmp_path.iterdir()] == ["stationary-law.json"]


@pytest.mark.parametrize("words", [["--size", "smok"], ["--seed", "-1"], ["--seed", "x"]])
def test_wrong_options_exit_2(words: list[str], tmp_path: Path) -> None:
    assert thermograd("demo", "law", "--out", str(tmp_path), *words).code == 2


def test_fitted_line_goes_through_a_curve_of_its_own_form() -> None:
    steps = (0.1, 0.2, 0.3, 0.4)
    line = theory.fitted_line("sgld", steps, [3 * h - 5 * h * h for h in steps], [0.1] * 4)
    for h, bias in line:
        assert bias == pytest.approx(3 * h - 5 * h * h, abs=1e-12)
