"""The settings of a run, resolved, and their form in `run.toml`.

What cannot be written down (a method or a function of one's own) is kept as its name in angle
brackets; resuming such a run asks for the object again.
"""

import dataclasses
import math
import platform
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch

from .. import ensembles, schedules
from .._checks import is_int, non_negative, positive, positive_int, require
from .._errors import StateError
from ..arrangements import Arrangement
from ..ensembles import Ensemble
from ..schedules import Schedule
from ..thermostat import Thermostat
from . import _tables
from .constraints import Rule
from .stepping import Compile

__all__ = ["Settings", "ensemble_of", "read_toml", "toml_text", "versions"]

Toml: TypeAlias = Mapping[str, object]

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
SCHEDULES = ("Constant", "Cyclical", "Exponential", "Polynomial")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run was asked for.

    Attributes:
        method: name or word; in angle brackets for a method of one's own.
        walkers: W > 0.
        steps: steps to run in all, the burn-in included.
        every: record each `every`-th step.
        burn_in: steps before the first that may be recorded.
        seed: from which all streams are derived.
        temperature: T ≥ 0.
        step_size: h > 0, or a schedule of it.
        friction: γ ≥ 0, per unit time; may be infinite.
        mass: m > 0.
        noise: kind of variates.
        compile: whether the step is compiled; "auto" until that is decided.
        params: patterns of the parameters to record.
        observables: names of what is recorded beside them.
        thermostat: ε, σ and the start of ξ, for methods with a thermostat variable.
        ensemble: how the walkers act on each other.
        arrangement: the method of each part, where there are several.
        geometry: manifolds, each with the names of the positions that live on it.
    """

    method: str
    walkers: int
    steps: int
    every: int
    burn_in: int
    seed: int
    temperature: float
    step_size: float | Callable[[int], float]
    friction: float
    mass: float
    noise: str
    compile: Compile
    params: tuple[str, ...]
    observables: tuple[str, ...]
    thermostat: Thermostat | None = None
    ensemble: Ensemble = field(default_factory=Ensemble)
    arrangement: Arrangement | None = None
    geometry: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        owner = "sample"
        for name in ("walkers", "steps", "every"):
            positive_int(getattr(self, name), name, owner)
        for name in ("burn_in", "seed"):
            value: int = getattr(self, name)
            require(is_int(value) and value >= 0, name, owner, "an integer, 0 or above", value)
        ok = self.burn_in < self.steps
        require(ok, "burn_in", owner, f"below the number of steps, {self.steps}", self.burn_in)
        non_negative(self.temperature, "temperature", owner)
        if self.friction != math.inf:
            non_negative(self.friction, "friction", owner)
        positive(self.mass, "mass", owner)
        if not callable(self.step_size):
            positive(self.step_size, "step_size", owner)
        ok = self.compile in ("auto", True, False)
        require(ok, "compile", owner, "True, False or 'auto'", self.compile)

    @property
    def schedule(self) -> Schedule:
        """The step size as a function of the step."""
        return schedules.as_schedule(self.step_size)

    @property
    def fixed_step_size(self) -> float | None:
        """The step size, if it never changes."""
        size = self.step_size
        if isinstance(size, schedules.Constant):
            return float(size.value)
        return None if callable(size) else float(size)

    @property
    def part_temperatures(self) -> dict[str, float]:
        """The temperature of each part, by the name under which it is recorded."""
        if self.arrangement is None:
            return {}
        table = _tables.arrangement_table(self.arrangement)
        return _tables.temperatures_in(table, self.temperature)

    def to_toml(self) -> dict[str, object]:
        """Return the settings as a table."""
        table: dict[str, object] = {
            field.name: getattr(self, field.name) for field in dataclasses.fields(self)
        }
        table.pop("thermostat")
        if self.thermostat is not None:
            table["thermostat"] = dataclasses.asdict(self.thermostat)
        table.pop("arrangement")
        if self.arrangement is not None:
            table["arrangement"] = _tables.arrangement_table(self.arrangement)
        table.pop("geometry")
        if self.geometry:
            table["geometry"] = _tables.rules_table(self.geometry)
        ensemble = table.pop("ensemble")
        if type(ensemble) is not Ensemble:
            table["ensemble"] = _ensemble_table(self.ensemble)
        if callable(self.step_size):
            kind = type(self.step_size).__name__
            table["step_size"] = {"kind": f"<{kind}>"}
            if kind in SCHEDULES:
                names = getattr(type(self.step_size), "__dataclass_fields__", ())
                values = {name: getattr(self.step_size, name) for name in names}
                table["step_size"] = {"kind": kind, **values}
        return table

    @classmethod
    def from_toml(
        cls,
        table: Toml,
        step_size: Callable[[int], float] | None,
        ensemble: Ensemble | None = None,
        arrangement: Arrangement | None = None,
        geometry: tuple[Rule, ...] | None = None,
    ) -> "Settings":
        """Make settings from what `to_toml` returned.

        Args:
            table: the table.
            step_size: the schedule, where the table could not hold it.
            ensemble: the ensemble, where the table could not hold it.
            arrangement: the methods of the parts, where the table could not hold them.
            geometry: the manifolds, where the table could not hold them.
        """
        values: dict[str, object] = dict(table)
        values["ensemble"] = ensemble if ensemble is not None else ensemble_of(table)
        if arrangement is not None:
            values["arrangement"] = arrangement
        elif "arrangement" in values:
            values["arrangement"] = _tables.arrangement_of(values["arrangement"])  # pyright: ignore[reportArgumentType]
        if geometry is not None:
            values["geometry"] = geometry
        elif "geometry" in values:
            values["geometry"] = _tables.rules_of(values["geometry"])  # pyright: ignore[reportArgumentType]
        size = values["step_size"]
        if isinstance(size, dict):
            kind = str(size["kind"])
            if kind in SCHEDULES:
                arguments = {name: value for name, value in size.items() if name != "kind"}
                values["step_size"] = getattr(schedules, kind)(**arguments)
            elif step_size is None:
                raise StateError(
                    f"the run's step size is a schedule of your own, {kind}, which run.toml "
                    "cannot hold: pass it as `step_size` to continue"
                )
            else:
                values["step_size"] = step_size
        if "thermostat" in values:
            values["thermostat"] = Thermostat(**values["thermostat"])  # pyright: ignore[reportCallIssue]
        for name in ("params", "observables"):
            values[name] = tuple(values[name])  # pyright: ignore[reportArgumentType]
        return cls(**values)  # pyright: ignore[reportArgumentType]


def ensemble_of(table: Toml) -> Ensemble:
    """Return the ensemble of a run, from the table that `to_toml` returned.

    Raises:
        StateError: if it is one of the user's own.
    """
    found = table.get("ensemble")
    if not isinstance(found, Mapping):
        return Ensemble()
    kind = str(found["kind"])
    if kind not in ensembles.__all__:
        raise StateError(
            f"the run's ensemble is one of your own, {kind}: pass it as `ensemble` to continue"
        )
    return getattr(ensembles, kind)(**{key: found[key] for key in found if key != "kind"})


def _ensemble_table(ensemble: Ensemble) -> dict[str, object]:
    names = getattr(type(ensemble), "__dataclass_fields__", ())
    kind = type(ensemble).__name__
    return {"kind": kind, **{name: getattr(ensemble, name) for name in names}}


def versions() -> dict[str, str]:
    """Return the versions that a run depends on."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def read_toml(path: Path) -> dict[str, dict[str, object]]:
    """Read a file that `toml_text` wrote."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def toml_text(tables: Mapping[str, Toml]) -> str:
    """Return tables of plain values as TOML."""
    lines: list[str] = []
    for name, table in tables.items():
        lines += [
            f"[{name}]",
            *(f"{_key(key)} = {_value(value)}" for key, value in table.items()),
            "",
        ]
    return "\n".join(lines)


def _key(key: object) -> str:
    text = str(key)
    return text if BARE_KEY.fullmatch(text) else _value(text)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_value(entry)}" for key, entry in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    escaped = "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in text)
    return f'"{escaped}"'
