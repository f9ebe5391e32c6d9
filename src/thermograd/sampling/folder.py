"""The folder of a run: its lock, its settings and its log of events.

run.toml            the whole resolved configuration, versions, seed
trajectory.zarr     what was recorded
checkpoint-*        where to continue, the newest two
events.jsonl        what happened, a line each
lock                held by the process that runs
"""

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .._errors import StoreError
from .settings import Toml, read_toml, toml_text

if sys.platform != "win32":
    import fcntl

__all__ = ["RunFolder", "read_run_toml", "write_atomically"]


@dataclass(slots=True)
class RunFolder:
    """A run folder held by this process.

    Attributes:
        path: the folder.
    """

    path: Path
    _lock: int = field(repr=False)

    @classmethod
    def create(cls, path: Path) -> "RunFolder":
        """Make and lock the folder of a new run.

        Raises:
            StoreError: if it cannot be written, holds a run, or is in use.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the run folder {path}: {error.strerror}") from error
        folder = cls(path, _acquire(path))
        if (path / "run.toml").exists():
            folder.close()
            raise StoreError(
                f"{path} holds a run already; continue it with `thermograd resume {path}` or "
                f"thermograd.sampling.resume({str(path)!r}, target), or choose another folder"
            )
        return folder

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """Lock the folder of a run that exists; a StoreError if there is none, or it is in use."""
        read_run_toml(path)
        return cls(path, _acquire(path))

    @property
    def trajectory(self) -> Path:
        """Where the trajectory is."""
        return self.path / "trajectory.zarr"

    def write_settings(self, tables: Mapping[str, Toml]) -> None:
        """Write `run.toml`, whole or not at all."""
        write_atomically(self.path / "run.toml", toml_text(tables).encode())

    def read_settings(self) -> dict[str, dict[str, object]]:
        """Read `run.toml`."""
        return read_run_toml(self.path)

    def log(self, event: Mapping[str, object]) -> None:
        """Append an event."""
        line = json.dumps({"time": round(time.time(), 3), **event})
        with (self.path / "events.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def events(self) -> list[dict[str, object]]:
        """Return the events; a line cut short by a kill is left out."""
        path, found = self.path / "events.jsonl", list[dict[str, object]]()
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        return found

    def close(self) -> None:
        """Let go of the folder."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def read_run_toml(folder: Path) -> dict[str, dict[str, object]]:
    """Return the tables of a run folder's run.toml.

    Raises:
        StoreError: if there is no run in it, or the file is damaged.
    """
    path = folder / "run.toml"
    if not path.is_file():
        raise StoreError(
            f"{folder} holds no run: there is no run.toml in it. A run that was killed before "
            "that was written has not begun; start it again"
        )
    try:
        tables = read_toml(path)
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
    for name in ("run", "target"):
        if not isinstance(tables.get(name), dict):
            raise StoreError(f"{path} is not that of a run: it has no table [{name}]")
    return tables


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, sync it to the disk, and rename it."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # so that the new name survives a power failure too
    finally:
        os.close(folder)


def _acquire(path: Path) -> int:
    if sys.platform == "win32":
        raise StoreError(
            f"the run folder {path} cannot be locked: that takes flock, which this system does not "
            "have; leave out `store` to keep the run in memory"
        )
    try:
        lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(f"cannot write in the run folder {path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.read(lock, 20).decode(errors="replace").strip()
        os.close(lock)
        raise StoreError(
            f"the run folder {path} is in use by process {holder or '(unknown)'}; two processes "
            "in one folder would spoil both runs"
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock
