"""Methods side by side on the tensors of one part, with one force between them.

One step:

    before      every part advances up to where it needs the force afresh
    force       is evaluated once, at the positions of all
    after       every part finishes its step

A part is a list of the run's own tensors, so nothing is copied. A part that does not move before it
needs the force, or is one formula in it, takes its whole step first. Numbers of a part, such as ξ,
are called "<label>.xi".
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..claims import Claims
from ..geometry import Manifold
from ..integrators import CutIntegrator, check_geometry, scalars_of, starting_scalars
from ..splitting import Word
from ..state import Env, Force, Part
from ._part_method import PartMethod

__all__ = ["Arranged", "Share"]

_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class Share:
    """One part: its tensors and what moves them.

    Attributes:
        label: its name.
        names: of its tensors.
        coordinates: their places among the coordinates that the run moves.
        geometry: their manifold.
        settings: of its method.
        method: the method.
    """

    label: str
    names: tuple[str, ...]
    coordinates: tuple[int, ...]
    geometry: Manifold
    settings: PartMethod
    method: CutIntegrator

    @property
    def is_whole(self) -> bool:
        """Whether its whole step is taken with the force at the start."""
        return not self.method.before_drifts

    @property
    def needs_start(self) -> bool:
        """Whether it needs the force at the start."""
        is_lazy = isinstance(self.method, Word) and not self.method.kicks_before
        return self.is_whole or not is_lazy

    def of(self, part: Part) -> Part:
        """Return the share as a part, made of tensors of `part`."""
        own = self.settings
        return Part(
            q=self.pick(part.q),
            p=self.pick(part.p) if self.method.has_momenta else [],
            force=self.force_of(part),
            geometry=self.geometry,
            friction=part.friction if own.friction is None else own.friction,
            temperature=part.temperature if own.temperature is None else own.temperature,
            mass=part.mass if own.mass is None else own.mass,
            thermostat=part.thermostat if own.thermostat is None else own.thermostat,
            aux={name: self.pick(part.aux[name]) for name in self.method.auxiliaries},
            scalars={
                name: part.scalars[f"{self.label}.{name}"] for name in scalars_of(self.method)
            },
            is_packed=part.is_packed,
        )

    def force_of(self, part: Part) -> Force:
        """Return the force on the share, as fresh as that of the whole."""
        return Force(self.pick(part.force.tensors), part.force.scale, part.force.is_fresh)

    def pick(self, tensors: Sequence[_Entry]) -> list[_Entry]:
        """Return those of its coordinates, from one entry for each of the run's."""
        return [tensors[place] for place in self.coordinates]


@dataclass(frozen=True, slots=True)
class Arranged:
    """A method for each share of the tensors of a run.

    Attributes:
        shares: the parts; each coordinate is in one of them.
    """

    shares: tuple[Share, ...]

    @property
    def claims(self) -> Claims:
        """One gradient a step; the law is a matter of its parts."""
        return Claims()

    @property
    def has_momenta(self) -> bool:
        """Whether any part has momenta; those of the others stay at rest."""
        return any(share.method.has_momenta for share in self.shares)

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """What any of the parts carries."""
        found = [name for share in self.shares for name in share.method.auxiliaries]
        return tuple(dict.fromkeys(found))

    @property
    def scalars(self) -> tuple[str, ...]:
        """The numbers of all parts, each behind its label."""
        return tuple(
            f"{share.label}.{name}" for share in self.shares for name in scalars_of(share.method)
        )

    def check_geometry(self) -> None:
        """Refuse a part whose formula does not hold on its manifold."""
        for share in self.shares:
            check_geometry(share.method, share.geometry)

    def parts(self, part: Part) -> list[Part]:
        """Return the shares as parts, made of tensors of `part`."""
        return [share.of(part) for share in self.shares]

    def init(self, part: Part, env: Env) -> None:
        """Prepare every part for the first step."""
        for share, piece in zip(self.shares, self.parts(part), strict=True):
            zeros = piece.q[0].new_zeros(piece.q[0].shape[0])
            for name, value in starting_scalars(share.method, piece.thermostat, zeros).items():
                piece.scalars[name].copy_(value)
            share.method.init(piece, env)
            thermostat = piece.thermostat if "xi" in piece.scalars else None
            if thermostat is not None and thermostat.driving_noise == 0 and not piece.is_cold:
                warnings.warn(
                    f"the part {share.label!r} has driving_noise = 0 at a temperature above 0: "
                    "with exact forces the thermostat alone is not ergodic. Give it some noise",
                    stacklevel=2,
                )

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one step of size `h`."""
        pieces = list(zip(self.shares, self.parts(part), strict=True))

        whole = part

        def evaluate(part: Part, component: str | None = None) -> None:
            env.evaluate(whole)
            for share, piece in pieces:
                piece.force = share.force_of(whole)

        shared = Env(env.noise, evaluate)
        if not part.force.is_fresh and any(share.needs_start for share in self.shares):
            evaluate(part)
        for share, piece in pieces:
            move = share.method.step if share.is_whole else share.method.before
            move(piece, h, shared)
        part.mark_moved()
        for _, piece in pieces:
            piece.mark_moved()
        for share, piece in pieces:
            if not share.is_whole:
                share.method.after(piece, h, shared)
        part.force.is_fresh = all(piece.force.is_fresh for _, piece in pieces)
