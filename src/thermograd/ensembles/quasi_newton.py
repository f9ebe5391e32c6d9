"""Ensemble quasi-Newton: walkers precondition each other by their covariance.

    dq_i = B_i p_i/m dt,   dp_i = B_iᵀ f(q_i) dt − γ p_i dt + √(2γmT) dW_i
    B_i B_iᵀ = 1 + η cov(q of all walkers but i)

Every `every` steps the factors B_i are computed afresh, from where the walkers are and were at the
last `memory` updates; between, they are frozen, and any method without an acceptance test leaves
the law of every walker what it would be without them. Each update makes the walkers' futures
depend on their common past; from the step `until` on, where the factors stay, the walkers are again
independent copies, each with a fixed matrix.

A step that is stable without B need not be with it. So at each update the largest eigenvalue λ of
BᵀHB is estimated for every walker by power iterations with differences of the force. Where h²λ/m
(hλ/m for methods without momenta) is above nine tenths of the limit 4 (or 2), η is lowered to
where the chord from η = 0 meets that; the eigenvalue is convex in η and lies below its chord.

References:
    Leimkuhler, Matthews and Weare (2018), doi:10.1007/s11222-017-9730-1.
    Heber, Trstanova and Leimkuhler (2020), arXiv:1903.08640, eqs. (16) to (19).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

import torch
from torch import Tensor

from .._checks import non_negative, one_of, positive_int, require
from .._errors import ParameterError
from ..integrators import Integrator
from ..potentials._differences import hessian_product
from ..state import Part
from . import _factor
from ._preconditioned import Preconditioned, flatten, unflatten
from .base import NEVER, Ensemble, Event, Moment

__all__ = ["QuasiNewton"]

POWER_ITERATIONS = 12
MARGIN = 0.9
ATTEMPTS = 30
ENOUGH_SAMPLES = 128
MOST_UPDATES = 8


@final
@dataclass(frozen=True, slots=True)
class QuasiNewton(Ensemble):
    """Walkers that precondition each other.

    Attributes:
        eta: η ≥ 0, how much of the covariance is blended in; in units of 1/q².
        every: steps between two updates of the factors.
        factor: "dense" for Cholesky factors of N × N matrices, "low-rank" for roots that are
            never formed, "auto" for the first where N is at most the number of samples.
        shrinkage: share ρ of the covariance that is replaced by its mean variance times 1;
            "ledoit-wolf" chooses it at every update.
        memory: updates whose positions are in the covariance: more samples, and B x at a cost in
            proportion. "auto" for as many as make 128 samples of all walkers, at most 8.
        until: step from which the factors stay as they are; 0 for never.
    """

    eta: float
    every: int = 1000
    factor: Literal["auto", "dense", "low-rank"] = "auto"
    shrinkage: float | Literal["ledoit-wolf"] = 0.0
    memory: int | Literal["auto"] = "auto"
    until: int = 0

    def __post_init__(self) -> None:
        owner = "QuasiNewton"
        non_negative(self.eta, "eta", owner)
        positive_int(self.every, "every", owner)
        if isinstance(self.memory, str):
            one_of(self.memory, ("auto",), "memory", owner)
        else:
            positive_int(self.memory, "memory", owner)
        one_of(self.factor, ("auto", "dense", "low-rank"), "factor", owner)
        if self.until:
            positive_int(self.until, "until", owner)
        if isinstance(self.shrinkage, str):
            one_of(self.shrinkage, ("ledoit-wolf",), "shrinkage", owner)
        else:
            ok = 0 <= non_negative(self.shrinkage, "shrinkage", owner) <= 1
            require(ok, "shrinkage", owner, "from 0 to 1, or 'ledoit-wolf'", self.shrinkage)

    def require(self, part: Part, method: Integrator, temperature: float) -> None:
        """Refuse one walker, curved spaces and acceptance tests.

        Raises:
            ParameterError: for any of these.
        """
        width = part.q[0].shape[0]
        if width < 3:
            raise ParameterError(
                f"QuasiNewton needs at least 3 walkers; got {width}: the matrix of each is the "
                "covariance of the others, and one point has none. Add walkers, or leave out "
                "`ensemble`"
            )
        if not part.geometry.is_flat:
            raise ParameterError(
                f"QuasiNewton needs a flat space; got {type(part.geometry).__name__}: positions "
                "on a manifold have no covariance, and a matrix would move them off it"
            )
        if method.claims.is_metropolised:
            raise ParameterError(
                "QuasiNewton needs a method without an acceptance test: a rejected step would "
                "leave the force of the proposal behind. Take a splitting such as 'baoab'"
            )

    def wrap(self, method: Integrator) -> Integrator:
        """Return the method in the coordinates of the factors."""
        return Preconditioned(method)

    def begin(self, part: Part) -> None:
        """Start with B = 1."""
        x = flatten(part.q)
        width, size = x.shape
        memory = self._num_updates(width)
        part.coupling |= _factor.identity(x, memory * width, self._is_dense(part))
        part.coupling["history"] = x.new_zeros(memory, width, size)
        part.coupling["seen"] = x.new_zeros(memory, width)

    def next_update(self, step: int) -> int:
        """Return the next multiple of `every`."""
        due = (step // self.every + 1) * self.every
        return due if not self.until or due <= self.until else NEVER

    def update(self, part: Part, moment: Moment) -> Sequence[Event]:
        """Compute the factors from where the walkers are."""
        _remember(part, moment.is_alive)
        limit = MARGIN * (4 if part.p else 2)
        first = stiffness = self._stiffness(part, moment, self.eta)
        if stiffness <= limit:
            return ()
        eta, bare = self.eta, self._stiffness(part, moment, 0.0)
        for _ in range(ATTEMPTS if bare < limit else 0):
            chord = (limit - bare) / (stiffness - bare) if math.isfinite(stiffness) else 0.1
            eta *= min(chord, 0.9)
            stiffness = self._stiffness(part, moment, eta)
            if stiffness <= limit:
                break
        else:
            eta = 0.0
            self._set(part, eta)
        if eta == self.eta:
            return ()
        name = "h²λ/m" if part.p else "hλ/m"
        says = (
            f"Quasi-Newton with η = {self.eta:g} would be unstable ({name} = {first:.3g}, stable "
            f"below {limit / MARGIN:g}); until the next update η is {eta:.3g}."
        )
        hint = "Lower η or the step size, or take more walkers or shrinkage."
        return (("quasi_newton", {"eta": eta, "stiffness": first, "says": says, "hint": hint}),)

    def _stiffness(self, part: Part, moment: Moment, eta: float) -> float:
        """Set the factors, and return h²λ/m, or hλ/m without momenta."""
        self._set(part, eta)
        power = 2 if part.p else 1
        return moment.step_size**power / part.mass * _largest_eigenvalue(part, moment)

    def _is_dense(self, part: Part) -> bool:
        size, width = sum(x[0].numel() for x in part.q), part.q[0].shape[0]
        is_small = size <= self._num_updates(width) * width
        return self.factor == "dense" or (self.factor == "auto" and is_small)

    def _num_updates(self, width: int) -> int:
        """Return how many updates are remembered."""
        if self.memory == "auto":
            return min(math.ceil(ENOUGH_SAMPLES / width), MOST_UPDATES)
        return self.memory

    def _set(self, part: Part, eta: float) -> None:
        make = _factor.dense if self._is_dense(part) else _factor.low_rank
        shrinkage = None if isinstance(self.shrinkage, str) else self.shrinkage
        seen = part.coupling["seen"] > 0
        own = torch.eye(seen.shape[1], dtype=torch.bool, device=seen.device)
        counts = seen.flatten() & ~own.repeat(1, len(seen))  # (W, S)
        made = make(part.coupling["history"].flatten(0, 1), counts, eta, shrinkage)
        for name, tensor in made.items():
            part.coupling[name].copy_(tensor)


def _remember(part: Part, is_alive: Tensor) -> None:
    """Put the positions of the living walkers first, and drop the oldest."""
    history, seen = part.coupling["history"], part.coupling["seen"]
    history.copy_(history.roll(1, 0))
    seen.copy_(seen.roll(1, 0))
    history[0] = torch.where(is_alive.unsqueeze(1), flatten(part.q), 0.0)
    seen[0] = is_alive


def _largest_eigenvalue(part: Part, moment: Moment) -> float:
    """Estimate the largest eigenvalue of BᵀHB over the living walkers; inf where it is not finite.

    |A v|/|v| is never above the largest modulus and nears it from below.
    """
    batch, q = moment.draw_batch(), part.q

    def product(v: Tensor) -> Tensor:
        direction = unflatten(_factor.apply(part.coupling, v), q)
        moved = hessian_product(moment.potential, q, direction, batch)
        return _factor.apply_transposed(part.coupling, flatten(moved))

    v = torch.empty_like(flatten(q)).normal_(generator=moment.generator)
    size = v.norm(dim=1)
    for _ in range(POWER_ITERATIONS):
        v = product(v / v.norm(dim=1, keepdim=True).clamp_min(1e-30))
        size = v.norm(dim=1)
    return float(size[moment.is_alive].nan_to_num(nan=math.inf).max())
