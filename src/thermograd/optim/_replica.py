"""Rounds whose outer point is pulled to the centre of its replicas."""

import math
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor

from .._checks import one_of
from .._errors import LostReplicaError, NonFiniteError, StateError
from .._foreach import add_, added, clone
from ..objectives.outer import sgd_, toward_
from ..objectives.tethered import ANCHOR, check_scope
from ..replicas.centre import Centre, Level
from ..replicas.transport import Transport
from ..schedules import Schedule
from ._adapter import Group, ParamsT
from ._rounds import OuterPoint, RoundOptimizer, scoping

__all__ = ["OnLost", "ReplicaOptimizer"]

OnLost: TypeAlias = Literal["stop", "exclude"]
MASTER = "master"


class ReplicaOptimizer(RoundOptimizer):
    """Base of the optimizers of coupled replicas; not for use by itself.

    Args:
        params: parameters of this replica, named parameters or groups.
        defaults: settings of groups that do not say otherwise.
        replica: this replica's transport.
        coupling: ρ > 0, or a schedule of it by rounds.
        exchange_every: rounds between two exchanges.
        above: levels of a tree above the group of `replica`.
        on_lost: what to do about a replica with NaN or infinite parameters or gradients.
        **rounds: of `RoundOptimizer`.
    """

    def __init__(
        self,
        params: ParamsT,
        defaults: Group,
        *,
        replica: Transport,
        coupling: float | Schedule,
        exchange_every: int,
        above: Sequence[Level],
        on_lost: OnLost,
        **rounds: Any,
    ) -> None:
        owner = type(self).__name__
        one_of(on_lost, ("stop", "exclude"), "on_lost", owner)
        self._couplings = scoping(coupling, "coupling", owner)
        self.coupling = self._coupling_at(0)
        self.replica = replica
        self._lost = False
        self._centre: Centre | None = None
        super().__init__(params, defaults, **rounds)
        if replica.size == 1 and not above:
            warnings.warn(self._alone(), stacklevel=3)
            return
        self._centre = Centre(
            replica, every=exchange_every, above=above, exclude=on_lost == "exclude"
        )
        with torch.no_grad():
            self._centre.start(self._points())

    @abstractmethod
    def _alone(self) -> str:
        """Say what this is with one replica."""

    def _coupling_at(self, rounds: int) -> float:
        if self._couplings is None:
            return math.inf
        return check_scope(self._couplings(rounds), "coupling", type(self).__name__)

    @property
    def missing(self) -> tuple[int, ...]:
        """Ranks that did not take part in the last exchange read."""
        return () if self._centre is None else self._centre.missing

    def _params(self) -> list[Tensor]:
        return [q for group in self.param_groups for q in group["params"]]

    def _points(self) -> list[Tensor]:
        """Return x of every parameter; one that has not begun is where it is."""
        return [self.state[q][ANCHOR] if self.state.get(q) else q for q in self._params()]

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Take one inner step; the last one of a round is followed by the coupling.

        A gradient that is not finite moves nothing; the replica sits out until the next exchange
        tells all of them.

        Args:
            closure: recomputes the loss and its gradients first, if given.

        Returns:
            what the closure returned.
        """
        if self._lost:
            return self._sit_out(closure)
        skipped = self.skipped_steps
        try:
            loss = super().step(closure)
        except LostReplicaError:
            raise
        except NonFiniteError:
            if self._centre is None:
                raise
            self._lost = True
            return self._sit_out(None)
        if self.skipped_steps > skipped:
            self._sit_out(None)
        return loss

    def _sit_out(self, closure: Callable[[], float] | None) -> float | None:
        """Let the clock go on, so that the replicas meet at the same step."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._clock["steps"] += 1
        self._tick()
        return loss

    def _move_all(self) -> None:
        centre = None if self._centre is None else self._centre.read()
        if centre is not None:
            self._remember(centre)
        is_back = self._centre is not None and self._centre.transport.rank in self.missing
        if is_back and centre is not None:
            self._rejoin()
        elif not self._lost:
            super()._move_all()
        if self._centre is not None:
            self._centre.post(self._points(), is_lost=self._lost)
        self.coupling = self._coupling_at(self._clock["rounds"] + 1)

    def _remember(self, centre: Sequence[Tensor]) -> None:
        for q, c in zip(self._params(), centre, strict=True):
            if self.state.get(q):
                self.state[q][MASTER] = c

    def _rejoin(self) -> None:
        """Go on from the centre, at rest."""
        self._lost = False
        for group in self.param_groups:
            for q in self._begun(group):
                state = self.state[q]
                state[ANCHOR].copy_(state[MASTER])
                for name in ("velocity", "momenta"):
                    if name in state:
                        state[name].zero_()

    @abstractmethod
    def _strengths(self, group: Group) -> tuple[float, float]:
        """Return how far x goes to z, and how far to the centre."""

    def _outer_step(self, group: Group, rows: list[Tensor], x: list[Tensor]) -> None:
        to_reached, to_centre = self._strengths(group)
        gap: list[Tensor] = []
        if to_centre and all(MASTER in self.state[q] for q in rows):
            gap = added(x, [self.state[q][MASTER] for q in rows], -1.0)
        mu, z = float(group["momentum"] or 0.0), self._reached(rows)
        if not mu:
            toward_(x, z, to_reached)
            if gap:
                add_(x, gap, -to_centre)
            return
        d = added(x, z, -1.0)
        if gap:
            add_(d, gap, to_centre / to_reached)
        sgd_(x, d, self._column(rows, "velocity"), to_reached, mu)

    def sync(self, point: Literal["outer", "master"] = "outer") -> OuterPoint:
        """Put the model at this replica's point x, or at the master, the replicas' mean.

        Args:
            point: "outer" as in `EntropySGD`, or "master"; leave the master before the next step.

        Raises:
            StateError: if there was no exchange yet.
        """
        one_of(point, ("outer", "master"), "point", type(self).__name__)
        if point == "outer":
            return super().sync()
        centre = None if self._centre is None else self._centre.read()
        if self._centre is None:
            return super().sync()
        if centre is None or not any(self._begun(group) for group in self.param_groups):
            raise StateError("there is no master before the first step")
        self._remember(centre)
        return self._show(MASTER)

    def __getstate__(self) -> dict[str, Any]:
        own = ("replica", "_couplings", "coupling", "_lost", "_centre")
        return {**super().__getstate__(), **{name: getattr(self, name) for name in own}}

    def state_dict(self) -> dict[str, Any]:
        """Return everything a continuation needs, the centres included.

        Every replica must have taken as many steps; exchanges under way are waited for.
        """
        saved = super().state_dict()
        if self._centre is not None:
            self._centre.settle()
            centres = [None if c is None else clone(c) for c in self._centre.values]
            saved["centres"] = {"values": centres, "posts": self._centre.posts}
        return {**saved, "lost": self._lost}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved replica stood; load into every replica of the group."""
        centres = state_dict.get("centres")
        if (centres is None) != (self._centre is None):
            here, there = ("without", "with") if self._centre is None else ("with", "without")
            raise StateError(
                f"the state dict was saved {there} other replicas, and this one is {here} them"
            )
        super().load_state_dict(state_dict)
        self._lost = bool(state_dict["lost"])
        self.coupling = self._coupling_at(self._clock["rounds"])
        if self._centre is not None and centres is not None:
            self._centre.restore(centres["values"], centres["posts"])
