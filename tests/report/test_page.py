"""The report: one file that draws itself in a browser, and in which nothing a run says is code."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from thermograd._errors import ParameterError, StoreError
from thermograd.report.page import read_records, report_text, write_report

from .runs import NETWORK, PLANE, WELL, made

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
MEGABYTES = 8
HOSTILE = "<img src=x onerror=document.body.dataset.hacked=1>"
NOTE = "</script><script>document.body.dataset.hacked=1</script>"
SECTIONS = (
    "settings",
    "verdict",
    "temperatures",
    "traces",
    "correlation",
    "landscape",
    "prediction",
)


class Seen(HTMLParser):
    """What a page holds: elements with their attributes, and text outside scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] not in {"script", "style"}:
            self.text += data

    def ids(self, tag: str) -> list[str | None]:
        return [attributes.get("id") for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A network, a well of a hostile name with a hostile remark, and a plane."""
    root = tmp_path_factory.mktemp("runs")
    network = made(NETWORK, root / "network")
    well = made(WELL, root / HOSTILE)
    with (well / "events.jsonl").open("a") as file:
        file.write(json.dumps({"step": 7, "kind": "remark", "says": NOTE}) + "\n")
    with (well / "run.toml").open("a") as file:
        file.write(f'\n[notes]\n"{HOSTILE}" = "{NOTE}"\n')
    return [network, well, made(PLANE, root / "plane")]


@pytest.fixture(scope="module")
def page(folders: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(folders, tmp_path_factory.mktemp("page") / "report.html")


def test_page_opens_in_a_browser(page: Path, tmp_path: Path) -> None:
    """Every section is there, every figure drawn, and the console has no error."""
    if BROWSER is None:
        pytest.skip("NO BROWSER: the report was not opened; install Debian's chromium")
    flags = (
        "--headless=new --no-sandbox --disable-gpu --use-angle=swiftshader "
        "--enable-unsafe-swiftshader --enable-logging=stderr --virtual-time-budget=10000 "
        f"--window-size=1200,900 --user-data-dir={tmp_path} --dump-dom"
    )
    command = [BROWSER, *flags.split(), page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    bad = re.compile(r"error|refused|violat|blocked|exception|webgl is not", re.IGNORECASE)
    assert [line for line in said if bad.search(line)] == []
    seen = Seen(done.stdout)
    assert seen.ids("section") == list(SECTIONS)
    body = next(attributes for name, attributes in seen.elements if name == "body")
    figures = [name for name in seen.ids("div") if name and re.fullmatch(r"figure-\d+", name)]
    assert int(body["data-drawn"] or 0) == len(figures) > len(SECTIONS)
    assert "data-hacked" not in body
    assert len([name for name, _ in seen.elements if name == "canvas"]) > 0  # the surfaces


def test_page_is_one_small_file(page: Path) -> None:
    assert page.stat().st_size < MEGABYTES * 1e6
    seen = Seen(page.read_text())
    asked = [a for _, a in seen.elements if {"src", "srcset"} & a.keys() or "stylesheet" in str(a)]
    assert asked == []
    assert all(str(a["href"]).startswith("#") for _, a in seen.elements if "href" in a)


def test_what_a_run_says_is_shown_as_text(page: Path) -> None:
    seen = Seen(page.read_text())
    assert [name for name, _ in seen.elements].count("script") == 3
    assert [name for name, _ in seen.elements].count("img") == 0
    assert HOSTILE in seen.text
    assert seen.text.count(NOTE) == 2


def test_figures_are_plain_data_with_escaped_labels(page: Path) -> None:
    text = page.read_text().partition('type="application/json" id="figures">')[2]
    figures = json.loads(text.partition("</script>")[0])
    names = {trace["name"] for figure in figures for trace in figure["data"] if "name" in trace}
    assert "&lt;img src=x onerror=document.body.dataset.hacked=1&gt;" in names
    assert not any("<" in name for name in names)


def test_without_targets_nothing_is_built_again(folders: list[Path]) -> None:
    text = report_text(read_records(folders), has_targets=False)
    assert Seen(text).text.count("--no-target") == 2 * len(folders)


def test_runs_of_the_same_name_are_told_apart(folders: list[Path], tmp_path: Path) -> None:
    again = made(PLANE, tmp_path / "other" / "plane", {"run.seed": "3"})
    names = [record.name for record in read_records([folders[2], again])]
    assert names == [str(folders[2]), str(again)]


def test_a_run_named_twice_is_refused(folders: list[Path]) -> None:
    with pytest.raises(ParameterError, match="is named 2 times"):
        read_records([folders[0], folders[0] / "."])


def test_a_file_that_exists_is_kept(folders: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "mine.html"
    out.write_text("precious")
    with pytest.raises(StoreError, match="exists already"):
        write_report(folders[2:], out)
    assert out.read_text() == "precious"
    with pytest.raises(ParameterError, match="is a folder"):
        write_report(folders[2:], tmp_path)
    assert write_report(folders[2:], out, overwrite=True).stat().st_size > 1e6


def test_page_of_a_target_made_in_python_says_what_would_show_it(tmp_path: Path) -> None:
    import thermograd
    from thermograd.potentials import Harmonic

    thermograd.sample(
        Harmonic((1.3, 0.4)),
        walkers=2,
        steps=40,
        seed=1,
        temperature=0.7,
        step_size=0.2,
        store=tmp_path / "python",
        progress=False,
        compile=False,
    ).close()
    text = Seen(report_text(read_records([tmp_path / "python"]))).text
    assert "No landscape: the target was made in Python" in text
    assert "thermograd run" in text
