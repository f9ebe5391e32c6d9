"""Parle: replicas that each run Entropy-SGD, pulled to their mean once a round.

A round of replica a is L calls, each with one gradient, from y = z = xᵃ:

    y ← one step of the inner method on U(y) + |y − xᵃ|²/(2γ)
    z ← α z + (1 − α) y

and after the last of them

    xᵃ ← xᵃ − η (xᵃ − z) − (η/ρ) (xᵃ − x)      with Nesterov's momentum, if there is any
    x  ← mean of the xᵃ                         which arrives while the next round runs

`lr` is η and `inner_lr` the inner step size. One exchange of the parameters a round, or fewer.
"""

from collections.abc import Sequence

import torch

from ..integrators import Integrator
from ..noise import NoiseSource
from ..replicas.centre import Level
from ..replicas.transport import Transport
from ..schedules import Schedule
from ._adapter import Group, OnNonfinite, ParamsT
from ._replica import OnLost, ReplicaOptimizer
from ._rounds import Momenta, inner_settings

__all__ = ["Parle"]


class Parle(ReplicaOptimizer):
    """One replica of Parle; `sync("master")` shows the master.

    Args:
        params: parameters of this replica, named parameters or groups.
        lr: η ≥ 0, of the outer step; what schedulers change.
        replica: this replica's end of a transport: of `replicas.local(n)` or `distributed()`.
        inner_lr: h ≥ 0, of the inner method; held while η falls.
        scope: γ > 0, `math.inf`, or a schedule of it by rounds.
        coupling: ρ > 0, `math.inf`, or a schedule of it by rounds.
        inner_steps: L ≥ 1, gradients a round.
        averaging: α in [0, 1).
        momentum: μ of the outer step.
        inner: as for `EntropySGD`.
        inner_momentum: as for `EntropySGD`.
        inner_momenta: as for `EntropySGD`.
        temperature: as for `EntropySGD`.
        friction: as for `EntropySGD`.
        exchange_every: rounds between two exchanges.
        above: levels of a tree above the group of `replica`.
        on_lost: about a replica with NaN: "stop" all at the next exchange, or "exclude" it there,
            whereupon it goes on from the master.
        noise: as for `EntropySGD`.
        generator: as for `Langevin`; a stream of its own for each replica.
        on_nonfinite: as for `Langevin`.

    References:
        Chaudhari et al. (2017), arXiv:1707.00424; thesis, eqs (5.8) and (5.10).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        replica: Transport,
        inner_lr: float,
        scope: float | Schedule,
        coupling: float | Schedule,
        inner_steps: int = 25,
        averaging: float = 0.25,
        momentum: float = 0.9,
        inner: str | Integrator = "nesterov",
        inner_momentum: float = 0.9,
        inner_momenta: Momenta = "fresh",
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
            "inner_lr": inner_lr,
            "momentum": momentum,
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
            inner_steps=inner_steps,
            scope=scope,
            averaging=averaging,
            inner_momenta=inner_momenta,
            noise=noise,
            generator=generator,
            on_nonfinite=on_nonfinite,
        )

    def _alone(self) -> str:
        return "Parle with one replica is Entropy-SGD: there is nothing to be coupled to"

    def _strengths(self, group: Group) -> tuple[float, float]:
        lr = float(group["lr"])
        return lr, lr / self.coupling
