"""HJ: descent on the Moreau envelope of the loss, the limit of local entropy without noise.

A round is L calls, each with one gradient, from y = x:

    y ← y − h (∇U(y) + (y − x)/γ)             with Nesterov's momentum, if there is any

and after the last of them, with momentum μ of its own if there is any,

    version 1   x ← x − η (x − y)
    version 2   x ← x − η ∇U(y)               the gradient that the last call was handed

Once y has converged, version 2 with η = γη' takes the steps of version 1 with η'. The source writes
version 2 for x − y in place of y; its iterates are these.
"""

from collections.abc import Sequence

from torch import Tensor

from .._checks import require
from ..integrators.nesterov import nesterov
from ..schedules import Schedule
from ._adapter import OnNonfinite, ParamsT
from ._rounds import Momenta, RoundOptimizer

__all__ = ["HJ"]


class HJ(RoundOptimizer):
    """Hamilton-Jacobi descent, non-viscous; keeps the minimisers of the loss.

    Args:
        params: parameters, named parameters or groups.
        lr: η ≥ 0, of the outer step; what schedulers change.
        inner_lr: h ≥ 0, of the inner descent.
        scope: γ > 0, `math.inf`, or a schedule of it by rounds.
        inner_steps: L ≥ 1, gradients a round.
        version: 1 or 2.
        momentum: μ of the outer step.
        inner_momentum: of the inner descent.
        inner_momenta: as for `EntropySGD`.
        on_nonfinite: as for `Langevin`.

    References:
        Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y, section 5; thesis, (4.41), (4.42).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1.0,
        *,
        inner_lr: float,
        scope: float | Schedule,
        inner_steps: int = 5,
        version: int = 1,
        momentum: float = 0.0,
        inner_momentum: float = 0.0,
        inner_momenta: Momenta = "fresh",
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        require(version in (1, 2), "version", "HJ", "1 or 2", version)
        self.version = version
        defaults = {
            "lr": lr,
            "inner_lr": inner_lr,
            "momentum": momentum,
            "word": nesterov(inner_momentum),
            "temperature": 0.0,
            "friction": 0.0,
            "mass": 1.0,
        }
        super().__init__(
            params,
            defaults,
            inner_steps=inner_steps,
            scope=scope,
            inner_momenta=inner_momenta,
            on_nonfinite=on_nonfinite,
        )

    def _descent(self, rows: Sequence[Tensor]) -> list[Tensor] | None:
        if self.version == 1:
            return None
        return [q.new_zeros(q.shape) if q.grad is None else q.grad for q in rows]

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "version": self.version}
