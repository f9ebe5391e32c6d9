"""Every listing of the README and of the site runs, page by page, from top to bottom.

- ```python: the blocks of a page share one namespace; a block of `>>>` lines runs as a doctest;
  a block with `title="name.py"` is also written to that file.
- ```bash and ```console: the lines `$ thermograd ...` run in the same folder and must succeed.
- `<!-- skip: reason -->` just above a block skips it, and the report says so.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = Path(sys.executable).parent
TIMEOUT_SECONDS = 120

FENCE = re.compile(r"^(?P<indent>[ ]*)(?P<marks>`{3,}|~{3,})[ ]*(?P<language>\w*)(?P<rest>.*)$")
SKIP = re.compile(r"^\s*<!--\s*skip:\s*(?P<reason>.*?)\s*-->\s*$")
TITLE = re.compile(r'title="(?P<title>[^"]+)"')


@dataclass(frozen=True, slots=True)
class Listing:
    """A fenced block of a page."""

    page: str
    line: int  # of its first line of code, from 1
    language: str
    code: str
    title: str | None
    skip: str | None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def listings(page: str, text: str) -> Iterator[Listing]:
    """Yield the fenced blocks of a page in order."""
    lines = text.splitlines()
    number = 0
    skip: str | None = None
    while number < len(lines):
        line = lines[number]
        number += 1
        if (fence := FENCE.match(line)) is None:
            if line.strip():
                found = SKIP.match(line)
                skip = found["reason"] if found else None
            continue
        start = number
        while number < len(lines) and lines[number].strip() != fence["marks"]:
            number += 1
        code = textwrap.dedent("\n".join(lines[start:number])) + "\n"
        title = TITLE.search(fence["rest"])
        name = title["title"] if title else None
        yield Listing(page, start + 1, fence["language"], code, name, skip)
        number += 1
        skip = None


def commands(listing: Listing) -> list[list[str]]:
    """Return the thermograd commands of a shell listing, split into words."""
    joined = listing.code.replace("\\\n", " ")
    lines = [line[2:] for line in joined.splitlines() if line.startswith("$ thermograd")]
    return [shlex.split(line, comments=True) for line in lines]


def run_command(words: list[str], listing: Listing) -> None:
    """Run one command as a user would, and fail with what it said."""
    environment = {**os.environ, "PATH": f"{COMMANDS}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=TIMEOUT_SECONDS, env=environment
    )
    said = (done.stdout + done.stderr)[-2000:]
    assert done.returncode == 0, f"{listing}: {shlex.join(words)} exits {done.returncode}:\n{said}"


def run_python(listing: Listing, namespace: dict[str, Any]) -> None:
    """Run a python block in the namespace of its page."""
    if listing.title is not None:
        Path(listing.title).write_text(listing.code)
    if listing.code.startswith(">>>"):
        parsed = doctest.DocTestParser().get_doctest(
            listing.code, namespace, str(listing), listing.page, listing.line - 1
        )
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(parsed, out=report.append, clear_globs=False)
        namespace.update(parsed.globs)
        assert not report, "".join(report)
        return
    padded = "\n" * (listing.line - 1) + listing.code
    exec(compile(padded, listing.page, "exec"), namespace)


def run_page(page: str, text: str) -> None:
    """Run the listings of a page in order, in the current folder."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for listing in listings(page, text):
        if listing.skip is not None:
            continue
        if listing.language == "python":
            run_python(listing, namespace)
        elif listing.language in {"bash", "console"}:
            for words in commands(listing):
                run_command(words, listing)


def page_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def runs(listing: Listing) -> bool:
    has_commands = listing.language in {"bash", "console"} and bool(commands(listing))
    return listing.language == "python" or has_commands


ALL = [found for path in PAGES for found in listings(page_name(path), path.read_text())]
RUNNING = [found for found in ALL if runs(found)]
PAGES_TO_RUN = [path for path in PAGES if page_name(path) in {found.page for found in RUNNING}]


@pytest.mark.parametrize("path", PAGES_TO_RUN, ids=page_name)
@pytest.mark.usefixtures("global_rng")
def test_page_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page(page_name(path), path.read_text())


@pytest.mark.parametrize("listing", [found for found in ALL if found.skip], ids=str)
def test_skipped_listing(listing: Listing) -> None:
    pytest.skip(f"{listing}: {listing.skip}")


PAGE = """
# Title

```python title="mine.py"
x = 20 + 3
```

- nested

    ```python
    y = x + 4
    ```

<!-- skip: needs a network -->
```python
raise SystemExit
```

```text
not code
```

```python
>>> y
27
```
"""


def test_blocks_share_a_namespace_and_skips_are_honoured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(listings("page.md", PAGE))
    assert [block.skip for block in found] == [None, None, "needs a network", None, None]
    assert [block.line for block in found] == [5, 11, 16, 20, 24]
    run_page("page.md", PAGE)
    assert (tmp_path / "mine.py").read_text() == "x = 20 + 3\n"


@pytest.mark.parametrize("code", ["assert 3 == 4", ">>> 3 + 4\n8"])
def test_wrong_block_fails(code: str) -> None:
    with pytest.raises(AssertionError):
        run_page("page.md", f"```python\n{code}\n```\n")


def test_failing_command_fails() -> None:
    listing = Listing("page.md", 3, "console", "", None, None)
    with pytest.raises(AssertionError, match=r"page.md:3: .* exits 7"):
        run_command([sys.executable, "-c", "raise SystemExit(7)"], listing)


def test_commands_are_the_prompted_thermograd_lines() -> None:
    code = "$ thermograd show \\\n  BAOAB  # a comment\noutput\n$ ls\n$ thermograd list --json\n"
    listing = Listing("page.md", 3, "console", code, None, None)
    expected = [["thermograd", "show", "BAOAB"], ["thermograd", "list", "--json"]]
    assert commands(listing) == expected
