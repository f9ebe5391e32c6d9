"""Rounds: L steps of an inner method from x, then one step of x; one gradient a call.

A call is one inner step at the parameters as they are; the L-th call of a round also moves the
outer point x and puts the parameters there, so that the next round begins at x. State of a
parameter beside the inner method's: "outer" x, "average" z where one is kept, "velocity" or
"moment" and "square" of the outer step, and "inner" while `sync` shows another point.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from .._checks import is_real, one_of, positive_int, require
from .._errors import StateError
from .._foreach import copy_
from ..integrators import CutIntegrator, Integrator
from ..integrators.nesterov import nesterov
from ..noise import NoiseSource
from ..objectives.outer import adam_, sgd_, toward_
from ..objectives.tethered import ANCHOR, AVERAGE, Tethered, check_scope
from ..schedules import Constant, Schedule
from ..state import Force, Part
from ._adapter import Group, OnNonfinite, ParamsT
from ._bad_input import number
from ._manifolds import first_momenta
from ._wrapped import WrappedOptimizer

__all__ = ["Momenta", "OuterPoint", "RoundOptimizer", "inner_settings", "scoping"]

Momenta: TypeAlias = Literal["fresh", "keep"]
Outer: TypeAlias = Literal["sgd", "adam"]


def inner_settings(inner: str | Integrator, momentum: float) -> str | Integrator:
    """Return the inner method: "nesterov" with its momentum, or what is given."""
    return nesterov(momentum, is_heated=True) if inner == "nesterov" else inner


def scoping(value: float | Schedule, name: str, owner: str) -> Schedule | None:
    """Return the schedule of a scope or a coupling; None is ∞ for good."""
    if callable(value):
        return value
    return None if check_scope(value, name, owner) == math.inf else Constant(value)


class OuterPoint:
    """Holds the model at another point for the length of a `with` block."""

    def __init__(self, optimizer: "RoundOptimizer") -> None:
        self._optimizer = optimizer

    def __enter__(self) -> None:
        """Do nothing: the model is there already."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Put the model back where training stands."""
        self._optimizer.unsync()


class RoundOptimizer(WrappedOptimizer):
    """Base of the optimizers with an inner loop; not for use by itself.

    Args:
        params: parameters, named parameters or groups.
        defaults: settings of groups that do not say otherwise; "lr" and "momentum" are those of
            the outer step, "inner_lr" is h of the inner one.
        inner_steps: L ≥ 1.
        scope: γ > 0, or a schedule of it by rounds.
        averaging: α in [0, 1).
        outer: "sgd" or "adam".
        betas: of Adam.
        eps: of Adam.
        inner_momenta: "fresh" momenta at the start of each round, or "keep" them.
        noise: as for `Langevin`.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.
    """

    def __init__(
        self,
        params: ParamsT,
        defaults: Group,
        *,
        inner_steps: int,
        scope: float | Schedule,
        averaging: float = 0.0,
        outer: Outer = "sgd",
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        inner_momenta: Momenta = "fresh",
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        owner = type(self).__name__
        self.inner_steps = positive_int(inner_steps, "inner_steps", owner)
        self._scoping = scoping(scope, "scope", owner)
        self.scope = self._scope_at(0)
        ok = is_real(averaging) and 0.0 <= averaging < 1.0
        require(ok, "averaging", owner, "in [0, 1)", averaging)
        self.averaging = averaging
        self.outer = one_of(outer, ("sgd", "adam"), "outer", owner)
        for beta in betas:
            require(is_real(beta) and 0 <= beta < 1, "betas", owner, "two numbers in [0, 1)", betas)
        self.betas, self.eps = betas, eps
        self.inner_momenta = one_of(inner_momenta, ("fresh", "keep"), "inner_momenta", owner)
        self._shown: str | None = None
        super().__init__(
            params,
            {"inner_lr": None, **defaults},
            noise=noise,
            generator=generator,
            on_nonfinite=on_nonfinite,
        )

    def _scope_at(self, rounds: int) -> float:
        if self._scoping is None:
            return math.inf
        return check_scope(self._scoping(rounds), "scope", type(self).__name__)

    def _wrap(self, method: CutIntegrator) -> CutIntegrator:
        return Tethered(method, self.scope, self.averaging)

    def add_param_group(self, param_group: Group) -> None:
        """Add a group, checking its settings and parameters before anything changes."""
        h = number({**self.defaults, **param_group}["inner_lr"])
        ok = h is None or (is_real(h) and h >= 0)
        owner = f"group {len(self.param_groups)} of {type(self).__name__}"
        require(ok, "inner_lr", owner, "a finite number, 0 or above", h)
        super().add_param_group(param_group)

    def _advance(self, index: int, group: Group, columns: Any, pending: float | None) -> None:
        h = group["lr"] if group["inner_lr"] is None else group["inner_lr"]
        super()._advance(index, {**group, "lr": h, "momentum": None}, columns, pending)

    @property
    def at_outer_point(self) -> bool:
        """Whether the parameters are the ones to evaluate, rather than those of an inner step."""
        return self._shown is not None or self._clock["inside"] == 0

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Take one inner step; the last one of a round is followed by the outer step.

        After `sync` without `unsync` the gradient is one at the outer point, and a new round
        begins with it.

        Args:
            closure: recomputes the loss and its gradients first, if given.

        Returns:
            what the closure returned.

        Raises:
            StateError: if the model shows another point than this optimizer's own.
        """
        if self._shown is not None:
            if self._shown != ANCHOR:
                raise StateError(
                    f"the model shows the point {self._shown!r}, whose gradient is not for this "
                    "optimizer; leave the `with` block of sync, or call unsync, before step"
                )
            self._shown = None
            self._restart()
        return super().step(closure)

    def _tick(self) -> None:
        self._clock["inside"] += 1
        if self._clock["inside"] == self.inner_steps:
            with torch.no_grad():
                self._move_all()
            self._clock["rounds"] += 1
            if (scope := self._scope_at(self._clock["rounds"])) != self.scope:
                self.scope = scope
                self._wrap_all()
            self._restart()

    def _move_all(self) -> None:
        """Take the outer step of every group."""
        for group in self.param_groups:
            if rows := self._begun(group):
                self._move_outer(group, rows)

    def _begun(self, group: Group) -> list[Tensor]:
        return [q for q in group["params"] if self.state.get(q)]

    def _column(self, rows: Sequence[Tensor], name: str) -> list[Tensor]:
        """Return an entry of the state of some parameters, made of zeros if it is new."""
        for q in rows:
            if name not in self.state[q]:
                self.state[q][name] = torch.zeros_like(self.state[q][ANCHOR])
        return [self.state[q][name] for q in rows]

    def _reached(self, rows: Sequence[Tensor]) -> list[Tensor]:
        """Return z, or y where no average is kept, in the dtype of x."""
        if self.averaging:
            return self._column(rows, AVERAGE)
        return [q.to(self.state[q][ANCHOR].dtype) for q in rows]

    def _descent(self, rows: Sequence[Tensor]) -> list[Tensor] | None:
        """Return the direction d of the outer step; None is x − z."""
        return None

    def _move_outer(self, group: Group, rows: list[Tensor]) -> None:
        """Move x; on a manifold, bring it back."""
        x = self._column(rows, ANCHOR)
        geometry = self._manifolds[group["geometry"]]
        old = None if geometry.is_flat else [q.clone().unsqueeze(0) for q in x]
        self._outer_step(group, rows, x)
        if old is not None:
            part = Part([q.unsqueeze(0) for q in x], [], Force([]), geometry)
            geometry.retract(part, old)

    def _outer_step(self, group: Group, rows: list[Tensor], x: list[Tensor]) -> None:
        lr, mu = float(group["lr"]), float(group["momentum"] or 0.0)
        d = self._descent(rows)
        if d is None and self.outer == "sgd" and not mu:
            toward_(x, self._reached(rows), lr)
            return
        if d is None:
            d = [a - z for a, z in zip(x, self._reached(rows), strict=True)]
        self._apply(group, rows, x, d)

    def _apply(self, group: Group, rows: list[Tensor], x: list[Tensor], d: list[Tensor]) -> None:
        """Take the outer step against d."""
        lr, mu = float(group["lr"]), float(group["momentum"] or 0.0)
        if self.outer == "sgd":
            sgd_(x, d, self._column(rows, "velocity") if mu else [], lr, mu)
            return
        m, s = self._column(rows, "moment"), self._column(rows, "square")
        count = self._clock["rounds"] + 1
        adam_(x, d, m, s, lr=lr, betas=self.betas, eps=self.eps, step=count)

    def _restart(self) -> None:
        """Begin a round at x."""
        self._clock["inside"] = 0
        with torch.no_grad():
            for group in self.param_groups:
                if rows := self._begun(group):
                    self._restart_group(group, rows)

    def _restart_group(self, group: Group, rows: list[Tensor]) -> None:
        x = self._column(rows, ANCHOR)
        copy_(rows, x)
        if self.averaging:
            copy_(self._column(rows, AVERAGE), x)
        for q in rows:
            self.state[q].pop("inner", None)
            self.state[q]["pending"] = None
        if self.inner_momenta == "fresh" and "momenta" in self.state[rows[0]]:
            p = [self.state[q]["momenta"].unsqueeze(0) for q in rows]
            for row in p:
                row.zero_()
            q = [row.unsqueeze(0) for row in rows]
            geometry = self._manifolds[group["geometry"]]
            part = Part(q, p, Force(q), geometry, temperature=float(group["temperature"]))
            part.mass = float(group["mass"])
            if group["initial_momenta"] == "tangent_gaussian":
                first_momenta(part, "tangent_gaussian", self._noise(rows[0].device))

    def sync(self) -> OuterPoint:
        """Put the model at the outer point x, for evaluation.

        As a context manager it puts it back afterwards, and training goes on where it was. Without
        `with`, the next `step` begins a new round at x, unless `unsync` comes first.
        """
        return self._show(ANCHOR)

    def _show(self, name: str) -> OuterPoint:
        if self._shown is None:
            self._shown = name
            with torch.no_grad():
                for group in self.param_groups:
                    for q in self._begun(group):
                        self.state[q]["inner"] = q.detach().clone()
                        q.copy_(self.state[q][name])
        return OuterPoint(self)

    def unsync(self) -> None:
        """Put the model back where the inner loop stands, after `sync`."""
        if self._shown is not None:
            self._shown = None
            with torch.no_grad():
                for group in self.param_groups:
                    for q in self._begun(group):
                        q.copy_(self.state[q].pop("inner"))

    def watch(self, model: nn.Module) -> RemovableHandle:
        """Warn once if the model is called in eval mode at a point of the inner loop.

        Args:
            model: whose parameters these are.

        Returns:
            a handle that takes the watch off again.
        """

        def look(module: nn.Module, args: object) -> None:
            if not module.training and not self.at_outer_point:
                handle.remove()
                warnings.warn(
                    f"the model is evaluated {self._clock['inside']} of {self.inner_steps} steps "
                    f"into a round of {type(self).__name__}, not at its outer point; evaluate "
                    "under `with opt.sync():`",
                    stacklevel=3,
                )

        handle = model.register_forward_pre_hook(look)
        return handle

    def __getstate__(self) -> dict[str, Any]:
        names = ("inner_steps", "_scoping", "scope", "averaging", "outer", "betas", "eps")
        own = {name: getattr(self, name) for name in (*names, "inner_momenta", "_shown")}
        return {**super().__getstate__(), **own}

    def state_dict(self) -> dict[str, Any]:
        """Return everything a continuation needs; the model may be saved as it is, mid-round."""
        return {**super().state_dict(), "shown": self._shown}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved optimizer stood; a state that does not fit changes nothing."""
        super().load_state_dict(state_dict)
        self._shown = state_dict.get("shown")
        self.scope = self._scope_at(self._clock["rounds"])
        self._wrap_all()
