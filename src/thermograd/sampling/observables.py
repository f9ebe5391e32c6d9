"""Observables: functions of the state, taken where a step ends.

    potential                   U of the last evaluation: its batch, at the place it was made
    kinetic_temperature         p·p/(m d), whose average is T
    virial                      q·∇U/d, whose average is T if U confines; NaN if it does not
    xi                          the thermostat variable ξ; "<label>.xi" is that of a part
    gradient_norm               |∇U|
    configurational_temperature |∇U|²/ΔU, with the trace from one random probe a draw
    acceptance                  probability of the last acceptance test
    accuracy                    as the target defines it

`parameters`, `projection` and `prediction` make more; so does any function of a `View`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import torch
from torch import Tensor

from .._checks import require, unknown_name
from .._foreach import dot
from ..arrangements import Arranged
from ..geometry import Flat, Hidden, Manifold, own_coordinates, positions
from ..potentials.base import Potential
from ..state import Params, Part
from .pieces import Piece, pieces
from .streams import stream

__all__ = [
    "BUILT_IN",
    "Accurate",
    "Observable",
    "Predicting",
    "View",
    "built_in",
    "from_record",
    "is_xi",
    "parameters",
    "prediction",
    "projection",
    "resolve",
    "temperature_of",
]

Group: TypeAlias = Literal["posterior", "sample_stats"]


@runtime_checkable
class Predicting(Protocol):
    """A target that can predict."""

    def predict(self, q: Params, inputs: Tensor) -> Tensor:
        """Return the outputs at `inputs` per walker, shape (W, N, ...)."""
        ...


@runtime_checkable
class Accurate(Protocol):
    """A target that knows how often it is right."""

    def accuracy(self, q: Params) -> Tensor:
        """Return the share of right answers per walker, shape (W,)."""
        ...


@dataclass(slots=True)
class View:
    """The state as observables see it; nothing in it may be changed.

    Attributes:
        part: the state.
        potential: the target.
        names: names of the positions.
        step: steps done.
        seed: of the run.
        method: of the run, where it has several parts.
    """

    part: Part
    potential: Potential
    names: Sequence[str]
    step: int
    seed: int
    method: Arranged | None = None
    _positions: Params | None = None
    _force: Params | None = None

    def probes(self) -> torch.Generator:
        """Return a stream for random probes that depends on the seed and the step alone."""
        return stream(self.seed, f"probes at step {self.step}", self.part.q[0].device)

    @property
    def geometry(self) -> Manifold:
        """The manifold of the positions."""
        found = self.part.geometry
        if isinstance(found, Flat):  # asking a protocol takes ten microseconds
            return found
        return found if isinstance(found, Manifold) else Flat()

    @property
    def positions(self) -> Params:
        """The positions, each (W, ...)."""
        if self._positions is None:
            geometry, q = self.part.geometry, self.part.q
            self._positions = q if isinstance(geometry, Flat) else positions(geometry, q)
        return self._positions

    @property
    def q(self) -> dict[str, Tensor]:
        """The positions by name, each (W, ...)."""
        return dict(zip(self.names, self.positions, strict=True))

    @property
    def p(self) -> dict[str, Tensor]:
        """The momenta by name, each (W, ...); empty for methods without.

        Where an arc length stands for a position, its momentum does too.
        """
        if not self.part.p:
            return {}
        places = own_coordinates(self.geometry, len(self.names))
        return {name: self.part.p[place] for name, place in zip(self.names, places, strict=True)}

    @property
    def num_params(self) -> int:
        """Coordinates of a walker, d."""
        return sum(tensor[0].numel() for tensor in self.positions)

    @property
    def force(self) -> Params:
        """−∇U at the positions: the cached one where it is fresh, else over all the data."""
        if self._force is None:
            cached = self.part.force
            is_own = not isinstance(self.geometry, Hidden)
            if cached.is_fresh and cached.scale > 0 and is_own:
                self._force = cached.tensors
            else:
                self._force = self.force_at(self.positions)
        return self._force

    @property
    def has_one_temperature(self) -> bool:
        """Whether all parts have the same."""
        shares = self.method.shares if self.method is not None else ()
        return len({share.settings.temperature for share in shares}) < 2

    @property
    def has_one_law(self) -> bool:
        """Whether the space is flat and all parts have one temperature."""
        return isinstance(self.geometry, Flat) and self.has_one_temperature

    def pieces(self) -> list[Piece]:
        """Return the parts of the run that have momenta."""
        found = pieces(self.part, self.method, self.names, self.geometry)
        return [piece for piece in found if piece.part.p]

    def force_at(self, q: Params) -> Params:
        """Return −∇U at any positions, over all the data."""
        out = [torch.empty_like(tensor) for tensor in q]
        self.potential.force(q, None, out=out)
        return out


@dataclass(frozen=True, slots=True)
class Observable:
    """A named function of the state.

    Attributes:
        name: under which it is recorded.
        of: returns the value per walker, (W, ...).
        group: `posterior` for what is inferred, `sample_stats` for how the run goes.
    """

    name: str
    of: Callable[[View], Tensor]
    group: Group = "posterior"


def potential(view: View) -> Tensor:
    """Return U per walker at the last evaluation."""
    energy = view.part.energy
    return energy if energy is not None else _missing(view)


def kinetic_temperature(view: View) -> Tensor:
    """Return p·p/(m d), d counting independent momenta.

    NaN for a method without momenta, and where parts have temperatures of their own.
    """
    found = view.pieces()
    if not found or not view.has_one_temperature:
        return _missing(view)
    energies = [dot(piece.part.p, piece.part.p) / piece.part.mass for piece in found]
    return torch.stack(energies).sum(0) / sum(piece.degrees_of_freedom for piece in found)


def virial(view: View) -> Tensor:
    """Return q·∇U/d; NaN where its average is not T.

    That is where U does not confine, on manifolds, and with several temperatures.
    """
    if not getattr(view.potential, "is_confining", True) or not view.has_one_law:
        return _missing(view)
    return -dot(view.part.q, view.force) / view.num_params


def gradient_norm(view: View) -> Tensor:
    """Return |∇U|."""
    return dot(view.force, view.force).sqrt()


def configurational_temperature(view: View) -> Tensor:
    """Return |∇U|²/ΔU over all the data; ΔU = E[v·Hv] from one probe of signs, by differences.

    NaN on manifolds and with several temperatures.
    """
    if not view.has_one_law:
        return _missing(view)
    q = view.part.q
    force, generator = view.force_at(q), view.probes()
    probe = [torch.empty_like(x).bernoulli_(generator=generator).mul_(2).sub_(1) for x in q]
    size = 1e-2 if q[0].dtype is not torch.float64 else 1e-4
    ahead = view.force_at([x + size * v for x, v in zip(q, probe, strict=True)])
    behind = view.force_at([x - size * v for x, v in zip(q, probe, strict=True)])
    change = [(b - a) / (2 * size) for a, b in zip(ahead, behind, strict=True)]
    return dot(force, force) / dot(probe, change)


def acceptance(view: View) -> Tensor:
    """Return the probability of the last acceptance test; NaN for a method without."""
    return view.part.records.get("acceptance", _missing(view))


def accuracy(view: View) -> Tensor:
    """Return the share of right answers, as the target defines it."""
    target = view.potential
    ok = isinstance(target, Accurate)
    require(ok, "observables", "sample", "without 'accuracy': the target defines none", target)
    return target.accuracy(view.positions) if isinstance(target, Accurate) else potential(view)


BUILT_IN: Mapping[str, Callable[[View], Tensor]] = {
    function.__name__: function
    for function in (
        potential,
        kinetic_temperature,
        virial,
        gradient_norm,
        configurational_temperature,
        acceptance,
        accuracy,
    )
}


def is_xi(name: str) -> bool:
    """Tell whether an observable is a thermostat variable: "xi", or "<label>.xi"."""
    return name == "xi" or name.endswith(".xi")


def built_in(name: str) -> Observable:
    """Return a built-in observable by name, or the thermostat variable of a part."""
    if is_xi(name):
        return Observable(name, lambda view: _scalar(view, name), "sample_stats")
    if name not in BUILT_IN:
        raise unknown_name("observable", name, BUILT_IN)
    return Observable(name, BUILT_IN[name], "sample_stats")


def temperature_of(label: str) -> Observable:
    """Return the kinetic temperature of the part with a label."""

    def measure(view: View) -> Tensor:
        piece = next(piece for piece in view.pieces() if piece.label == label)
        return dot(piece.part.p, piece.part.p) / (piece.part.mass * piece.degrees_of_freedom)

    return Observable(f"{label}.kinetic_temperature", measure, "sample_stats")


def from_record(name: str) -> Observable:
    """Return an entry of `Part.records` as an observable."""
    return Observable(name, lambda view: view.part.records[name], "sample_stats")


def parameters(names: Sequence[str], patterns: Sequence[str]) -> list[Observable]:
    """Return the positions whose names match one of the patterns, as observables.

    Args:
        names: names of all positions.
        patterns: shell patterns such as "*.bias".
    """
    chosen: list[str] = []
    for pattern in patterns:
        found = [name for name in names if fnmatchcase(name, pattern)]
        if not found:
            raise unknown_name("parameter", pattern, names)
        chosen += [name for name in found if name not in chosen]

    def position(name: str) -> Callable[[View], Tensor]:
        index = list(names).index(name)
        return lambda view: view.positions[index]

    return [Observable(name, position(name)) for name in chosen]


def projection(directions: Tensor, name: str = "projection") -> Observable:
    """Return the positions' coordinates along given directions, (W, K).

    Args:
        directions: shape (K, d), rows in the order in which the positions are listed.
        name: of the observable.
    """
    require(directions.dim() == 2, "directions", "projection", "of shape (K, d)", directions.shape)

    def project(view: View) -> Tensor:
        flat = torch.cat([tensor.flatten(1) for tensor in view.positions], dim=1)
        return flat @ directions.to(flat).T

    return Observable(name, project)


def prediction(inputs: Tensor, name: str = "prediction") -> Observable:
    """Return what the target predicts at given inputs, (W, N, ...).

    Args:
        inputs: shape (N, ...).
        name: of the observable.
    """

    def predict(view: View) -> Tensor:
        target = view.potential
        if not isinstance(target, Predicting):
            require(False, "observables", "sample", "without a prediction: no `predict`", target)
            raise AssertionError
        return target.predict(view.positions, inputs)

    return Observable(name, predict)


def resolve(asked: Sequence[str | Observable | Callable[[View], Tensor]]) -> list[Observable]:
    """Return observables from names, functions of a view, or observables."""
    found: list[Observable] = []
    for entry in asked:
        if isinstance(entry, str):
            found.append(built_in(entry))
        elif isinstance(entry, Observable):
            found.append(entry)
        else:
            require(callable(entry), "observables", "sample", "names or functions", entry)
            found.append(Observable(getattr(entry, "__name__", "observable"), entry))
    names = [observable.name for observable in found]
    require(len(set(names)) == len(names), "observables", "sample", "of different names", names)
    return found


def row(observables: Sequence[Observable], view: View) -> dict[tuple[str, str], Tensor]:
    """Return the values of observables, by group and name."""
    values: dict[tuple[str, str], Tensor] = {}
    for observable in observables:
        value = observable.of(view)
        ok = isinstance(value, Tensor) and value.dim() > 0 and value.shape[0] == _width(view)  # pyright: ignore[reportUnnecessaryIsInstance]
        require(ok, observable.name, "observables", "a tensor (W, ...)", value)
        values[observable.group, observable.name] = value
    return values


def _scalar(view: View, name: str) -> Tensor:
    scalars = view.part.scalars
    if name not in scalars:
        raise unknown_name("thermostat variable", name, [key for key in scalars if is_xi(key)])
    return scalars[name]


def _missing(view: View) -> Tensor:
    return view.part.q[0].new_full((_width(view),), torch.nan)


def _width(view: View) -> int:
    return view.part.q[0].shape[0]
