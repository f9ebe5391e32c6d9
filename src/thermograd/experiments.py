"""Experiments: a folder each, with a claim, a short and a full version, and expected values.

    experiments/<source>_<item>_<slug>/
        experiment.py     smoke() -> Result, under ten seconds, and full() -> Result
        expected.toml     a table for each number: value and tolerance, or at_least, or at_most;
                          and reason, such as "printed in Table 4.2"
        README.md         title, the claim, source and page, run time, how to read the result

A record is a line of JSON with the measured numbers, configuration, seed, versions and commit.
Loads no torch; the experiments do.
"""

import importlib.util
import inspect
import json
import math
import platform
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from ._checks import unknown_name
from ._errors import ParameterError, StateError, StoreError, ThermogradError

__all__ = ["Experiment", "Result", "Row", "as_record", "compare", "find", "get", "record"]

PACKAGES = ("thermograd", "torch", "numpy")
BOUNDS = ({"value", "tolerance"}, {"at_least"}, {"at_most"})


@dataclass(frozen=True, slots=True)
class Result:
    """What an experiment measured.

    Attributes:
        measured: numbers by the names that expected.toml uses; others may be among them.
        config: the settings that it was measured with, as plain values.
        seed: of the noise.
    """

    measured: Mapping[str, float]
    config: Mapping[str, object] = field(default_factory=dict[str, object])
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """An expected number beside the measured one.

    Attributes:
        name: of the number.
        expected: in words, such as "1 ± 0.15" or "≥ 5".
        reason: where the expectation comes from.
        measured: NaN if it was not measured.
        ok: whether it is as expected; None if it was not measured.
    """

    name: str
    expected: str
    reason: str
    measured: float
    ok: bool | None


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that was found.

    Attributes:
        folder: that it is in.
    """

    folder: Path

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def summary(self) -> str:
        """The title of its README."""
        path = self.folder / "README.md"
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        return next((line.lstrip("# ") for line in lines if line.strip()), "")

    def run(self, *, is_smoke: bool, seed: int | None = None) -> Result:
        """Run `smoke()` or `full()`.

        Args:
            is_smoke: whether the short version.
            seed: handed to a function that takes one; its own default if not given.

        Raises:
            StateError: if there is no such function, or it returns something else.
            ParameterError: if a seed is given to a function that takes none.
        """
        called = "smoke" if is_smoke else "full"
        function = getattr(_imported(self.folder), called, None)
        if not callable(function):
            raise StateError(f"{self.folder / 'experiment.py'} defines no function {called}()")
        if seed is not None and "seed" not in inspect.signature(function).parameters:
            raise ParameterError(f"{called}() of {self.name} takes no seed")
        result: object = function() if seed is None else function(seed=seed)
        if not isinstance(result, Result):
            raise StateError(
                f"{called}() of {self.name} must return a thermograd.experiments.Result; it "
                f"returns a {type(result).__name__}"
            )
        return result


def find(root: str | Path | None = None) -> list[Experiment]:
    """Return the experiments of a folder, by name.

    Args:
        root: the folder; if not given, `experiments` here, in a parent, or in the clone that this
            package is imported from.
    """
    folder = Path(root) if root is not None else _default_root()
    if folder is None:
        return []
    return [Experiment(path.parent) for path in sorted(folder.glob("*/experiment.py"))]


def get(name: str, root: str | Path | None = None) -> Experiment:
    """Return an experiment by the name or the path of its folder.

    An unknown name is an UnknownNameError with the close matches.
    """
    if (Path(name) / "experiment.py").is_file():
        return Experiment(Path(name).resolve())
    found = {experiment.name: experiment for experiment in find(root)}
    if name not in found:
        raise unknown_name("experiment", name, found)
    return found[name]


def compare(folder: str | Path, measured: Mapping[str, float]) -> list[Row]:
    """Return a row for every number of a folder's expected.toml.

    Args:
        folder: of the experiment.
        measured: numbers by name.

    Raises:
        ParameterError: if an entry has no bound or no reason.
    """
    path = Path(folder) / "expected.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    rows: list[Row] = []
    for name, table in tables.items():
        keys = set(table) if isinstance(table, dict) else set[str]()
        if not any(keys == {*bound, "reason"} for bound in BOUNDS):
            raise ParameterError(
                f"{path}: {name!r} must be a table with a reason and either value and tolerance, "
                f"or at_least, or at_most; it has {', '.join(sorted(keys)) or 'none of these'}"
            )
        low, high, said = _bounds(table)
        value = float(measured.get(name, math.nan))
        ok = low <= value <= high if name in measured else None
        rows.append(Row(name, said, str(table["reason"]), value, ok))
    return rows


def record(result: Result | Mapping[str, object], out: str | Path) -> dict[str, object]:
    """Append a result, with versions, commit and time, to `records.jsonl` in a folder.

    Args:
        result: a Result, or what else is to be kept.
        out: the folder, made if it is not there.

    Returns:
        the record.

    Raises:
        StoreError: if the folder cannot be written.
    """
    if isinstance(result, Result):
        result = as_record(result)
    line = {**result, "versions": _versions(), "commit": _commit(), "time": round(time.time(), 3)}
    path = Path(out) / "records.jsonl"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error
    return line


def as_record(result: Result) -> dict[str, object]:
    """Return the fields of a result as plain values."""
    config, measured = dict(result.config), dict(result.measured)
    return {"measured": measured, "config": config, "seed": result.seed}


def _bounds(table: Mapping[str, object]) -> tuple[float, float, str]:
    """Return the lowest and the highest value that is as expected, and both in words."""
    if "at_least" in table:
        return float(str(table["at_least"])), math.inf, f"≥ {table['at_least']}"
    if "at_most" in table:
        return -math.inf, float(str(table["at_most"])), f"≤ {table['at_most']}"
    value, tolerance = float(str(table["value"])), float(str(table["tolerance"]))
    return value - tolerance, value + tolerance, f"{value:g} ± {tolerance:g}"


def _default_root() -> Path | None:
    here = Path.cwd()
    clone = Path(__file__).parents[2]
    for parent in (here, *here.parents, clone):
        if any((parent / "experiments").glob("*/experiment.py")):
            return parent / "experiments"
    return None


def _imported(folder: Path) -> ModuleType:
    """Import experiment.py; it can import modules beside it, and packages beside its folder."""
    path = folder / "experiment.py"
    name = f"thermograd_experiment_{folder.name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ThermogradError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    places = [str(folder), str(folder.parent)]
    sys.path[:0] = places
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        for place in places:
            sys.path.remove(place)
    return module


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def _commit() -> str:
    """Return the commit of the clone this package is in, "" if it is in none."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
