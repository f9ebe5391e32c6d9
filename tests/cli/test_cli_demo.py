"""`thermograd demo`, at a reduced size: table, figure, page and numbers."""

import base64
import json
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import pytest
from command import Said, thermograd

from thermograd.cli import _demo_law, _demo_race, demo
from thermograd.racing import published

PNG = b"\x89PNG\r\n\x1a\n"
METHODS = ["SGD", "SGLD", "Adam", "LOL", "AdLaLa"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "out"


@pytest.fixture(scope="module")
def said(folder: Path) -> Said:
    return thermograd("demo", "--size", "smoke", "--out", str(folder), "--seed", "3")


def test_demo_prints_a_row_for_every_method(said: Said) -> None:
    assert said.code == 0
    rows = [line.split() for line in said.out.splitlines() if "%" in line and " ± " in line]
    assert [row[0] for row in rows] == METHODS
    assert [row[5] for row in rows] == ["60", "60", "60", "61", "61"]


def test_demo_says_what_the_differences_are(said: Said) -> None:
    found = re.findall(r"AdLaLa − (\w+): .* points, .* \(95% confidence\)", said.out)
    assert found == METHODS[:-1]


def test_demo_shows_progress_in_lines_where_there_is_no_terminal(said: Said) -> None:
    lines = [line for line in said.err.splitlines() if line.startswith("training: ")]
    assert [line.split()[1].rstrip(":") for line in lines if "%" not in line] == METHODS
    assert len(lines) <= 2 * len(METHODS)


def test_demo_draws_the_figure(said: Said, folder: Path) -> None:
    picture = (folder / "training.png").read_bytes()
    assert picture.startswith(PNG)
    assert len(picture) > 50_000
    assert ElementTree.parse(folder / "training.svg").getroot().tag.endswith("svg")


class _Read(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.images: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        values = dict(attrs)
        self.links += [value for name in ("src", "href") if (value := values.get(name))]
        if tag == "img":
            self.images.append(values.get("src") or "")


def test_page_holds_the_figure_and_needs_nothing_else(said: Said, folder: Path) -> None:
    page = _Read()
    page.feed((folder / "training.html").read_text("utf-8"))
    (image,) = page.images
    assert page.links == [image]
    kind, _, data = image.partition(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data) == (folder / "training.png").read_bytes()
    assert page.opened.count("tr") == 1 + len(METHODS)


def test_demo_keeps_its_numbers(said: Said, folder: Path) -> None:
    data = json.loads((folder / "training.json").read_text())
    assert [found["label"] for found in data["standings"]] == METHODS
    for found in data["standings"]:
        assert len(found["accuracy"]) == 3
        assert found["curve"]["gradients"] == [12, 24, 36, 48, 60]
        assert found["settings"] == dict(published()[found["label"]].settings)


def test_same_seed_same_accuracies(folder: Path, said: Said, tmp_path: Path) -> None:
    thermograd("demo", "--size", "smoke", "--out", str(tmp_path), "--seed", "3")
    one, two = (json.loads((at / "training.json").read_text()) for at in (folder, tmp_path))
    for first, second in zip(one["standings"], two["standings"], strict=True):
        assert first["accuracy"] == second["accuracy"]


def test_without_matplotlib_table_and_page_remain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_demo_law, "has_matplotlib", lambda: False)
    said = thermograd("demo", "--size", "smoke", "--out", str(tmp_path))
    assert said.code == 0
    assert "pip install 'thermograd[analysis]'" in said.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["training.html", "training.json"]


def test_without_a_compiler_it_says_so_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", str(tmp_path / "no-compiler"))
    assert not _demo_race.has_compiler()
    small = _demo_race.Size(2, 8, 2, is_compiled=True)
    monkeypatch.setattr(demo, "SIZES", {"full": small})
    said = thermograd("demo", "--out", str(tmp_path / "out"))
    assert said.code == 0
    assert "No C++ compiler was found" in said.out
    data = json.loads((tmp_path / "out" / "training.json").read_text())
    assert not any(found["is_compiled"] for found in data["standings"])


@pytest.mark.parametrize(
    "words", [["--size", "smok"], ["--seed", "-1"], ["--seed", "x"], ["trainig"]]
)
def test_wrong_options_exit_2(words: list[str], tmp_path: Path) -> None:
    assert thermograd("demo", "--out", str(tmp_path), *words).code == 2
