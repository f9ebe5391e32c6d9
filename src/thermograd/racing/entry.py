"""An entry of a race: a method and its settings, by name."""

import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeAlias, TypedDict, cast

from .. import arrangements, integrators
from .._checks import require, unknown_name
from .._errors import ParameterError
from ..arrangements import LayerWise
from ..integrators import Integrator
from ..thermostat import Thermostat

__all__ = ["Chosen", "Entry", "Grid", "Setting"]

Setting: TypeAlias = float | str | None
Grid: TypeAlias = Mapping[str, Sequence[Setting]]

OF_THE_RUN = ("step_size", "temperature", "friction", "mass")
OF_THE_THERMOSTAT = tuple(entry.name for entry in fields(Thermostat))


class _Arguments(TypedDict, total=False):
    step_size: float
    temperature: float | None
    friction: float
    mass: float
    thermostat: Thermostat


@dataclass(frozen=True, slots=True)
class Chosen:
    """An entry made ready.

    Attributes:
        method: what `sample` takes.
        arguments: by which it is run.
        gradients_per_step: that a step costs.
    """

    method: str | Integrator | LayerWise
    arguments: _Arguments
    gradients_per_step: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A method and its settings.

    Attributes:
        method: name of an integrator or an arrangement, a word in capitals, or one of your own.
        settings: step_size, and by name what the method takes: for an arrangement its fields, such
            as `driving_noise` of adlala; for others temperature (0 if not given), friction, mass,
            what makes the method, such as `momentum` of sgd_momentum, and the fields of a
            `Thermostat`.

    Examples:
        >>> from thermograd.racing import Entry
        >>> Entry("lol", {"step_size": 0.25, "friction": 0.02}).chosen().method
        LOL(temperature=0.001, output_temperature=0.0, friction=0.02, partition=None, word='BAOAB')
    """

    method: str | Integrator | LayerWise
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])

    def __post_init__(self) -> None:
        require(
            "step_size" in self.settings, "settings", "Entry", "with a step_size", self.settings
        )

    @property
    def name(self) -> str:
        """What the method is called."""
        method = self.method
        return method if isinstance(method, str) else type(method).__name__

    def with_settings(self, settings: Mapping[str, Setting]) -> "Entry":
        """Return the entry with some settings changed or added."""
        return Entry(self.method, {**self.settings, **settings})

    def chosen(self) -> Chosen:
        """Return the method with its settings; an unknown name lists the close matches."""
        method = self.method
        if isinstance(method, str) and method.lower() in arrangements.names():
            return self._arrangement(arrangements.get(method.lower()))
        if isinstance(method, LayerWise):
            self._check(("step_size",))
            return Chosen(method, self._pick(("step_size",)), 1)
        return self._integrator(method)

    def _arrangement(self, make: Callable[..., LayerWise]) -> Chosen:
        own = [name for name in inspect.signature(make).parameters if name != "partition"]
        self._check(("step_size", *own))
        made = make(**{name: self.settings[name] for name in own if name in self.settings})
        return Chosen(made, self._pick(("step_size",)), 1)

    def _integrator(self, method: str | Integrator) -> Chosen:
        if isinstance(method, str) and not method.isupper() and method.lower() not in _names():
            raise unknown_name("method", method, _names(), " A word is spelled in capitals.")
        make = _maker(method)
        own = tuple(inspect.signature(make).parameters) if make is not None else ()
        self._check((*OF_THE_RUN, *OF_THE_THERMOSTAT, *own))
        given = {name: self.settings[name] for name in own if name in self.settings}
        found = integrators.resolve(make(**given) if make is not None and given else method)
        arguments = self._pick(OF_THE_RUN)
        arguments.setdefault("temperature", 0.0)
        heat = {name: self.settings[name] for name in OF_THE_THERMOSTAT if name in self.settings}
        if heat:
            if {"feedback", "driving_noise"} - heat.keys():
                raise ParameterError(
                    f"the thermostat of {self.name!r} needs both feedback and driving_noise; its "
                    f"settings are {', '.join(self.settings)}"
                )
            arguments["thermostat"] = Thermostat(**heat)  # pyright: ignore[reportArgumentType]
        return Chosen(found, arguments, sum(found.claims.gradients_per_step.values()))

    def _pick(self, names: Iterable[str]) -> _Arguments:
        return cast(_Arguments, {n: self.settings[n] for n in names if n in self.settings})

    def _check(self, known: Sequence[str]) -> None:
        for name in self.settings:
            if name not in known:
                raise unknown_name(f"setting of {self.name!r}", name, known)


def _names() -> list[str]:
    return sorted({*integrators.names(), *arrangements.names()})


def _maker(method: str | Integrator) -> Callable[..., Integrator] | None:
    """Return what makes an integrator from its settings, if it has any."""
    if not isinstance(method, str) or method.lower() not in integrators.names():
        return None
    module = importlib.import_module(f"{integrators.__name__}.{method.lower()}")
    return getattr(module, "MAKE", None)
