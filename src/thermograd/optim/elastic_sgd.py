"""Elastic-SGD: replicas that each run SGD, pulled to their mean at every step.

One call of replica a, with one gradient:

    y  ← one step of the inner method from xᵃ, of size η
    xᵃ ← y − (η/ρ) (xᵃ − x)
    x  ← mean of the xᵃ                         which arrives before the next call

It is Parle with L = 1, γ = ∞ and an outer step of 1. With `exchange_every` above 1 the master is
older and the messages are fewer.
"""

import math
from collections.abc import Sequence

import torch

from ..integrators import Integrator
from ..noise import NoiseSource
from ..replicas.centre import Level
from ..replicas.transport import Transport
from ..schedules import Schedule
from ._adapter import Group, OnNonfinite, ParamsT
from ._replica import OnLost, ReplicaOptimizer
from ._rounds import inner_settings

__all__ = ["ElasticSGD"]


class ElasticSGD(ReplicaOptimizer):
    """One replica of Elastic-SGD; `sync("master")` shows the master.

    Args:
        params: parameters of this replica, named parameters or groups.
        lr: η ≥ 0, the learning rate.
        replica: this replica's end of a transport: of `replicas.local(n)` or `distributed()`.
        coupling: ρ > 0, `math.inf`, or a schedule of it by steps.
        inner: "nesterov", a word, a method's name, or an integrator with one gradient a step.
        inner_momentum: of "nesterov".
        temperature: T ≥ 0 of the inner method, in units of the loss.
        friction: of words with a bath.
        exchange_every: steps between two exchanges.
        above: levels of a tree above the group of `replica`.
        on_lost: as for `Parle`.
        noise: as for `EntropySGD`.
        generator: as for `Langevin`; a stream of its own for each replica.
        on_nonfinite: as for `Langevin`.

    References:
        Zhang, Choromanska and LeCun (2015), arXiv:1412.6651; thesis of Chaudhari, eq. (5.4).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        replica: Transport,
        coupling: float | Schedule,
        inner: str | Integrator = "nesterov",
        inner_momentum: float = 0.9,
        temperature: float = 0.0,
        friction: float = 0.0,
        exchange_every: int = 1,
        above: Sequence[Level] = (),
        on_lost: OnLost = "stop",
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": None,
            "word": inner_settings(inner, inner_momentum),
            "temperature": temperature,
            "friction": friction,
            "mass": 1.0,
        }
        super().__init__(
            params,
            defaults,
            replica=replica,
            coupling=coupling,
            exchange_every=exchange_every,
            above=above,
            on_lost=on_lost,
            inner_steps=1,
            scope=math.inf,
            inner_momenta="keep",
            noise=noise,
            generator=generator,
            on_nonfinite=on_nonfinite,
        )

    def _alone(self) -> str:
        return "Elastic-SGD with one replica is its inner method: there is nothing to be coupled to"

    def _strengths(self, group: Group) -> tuple[float, float]:
        return 1.0, float(group["lr"]) / self.coupling
