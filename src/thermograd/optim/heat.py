"""HEAT: descent on the loss smoothed by a Gaussian of variance γ.

A round is L calls, each with one gradient:

    s ← s + ∇U(q),   q ← x + √γ ξ,   ξ ~ N(0, I) fresh
    x ← x − η s/L                               after the last of them; then q moves along

The very first gradient is the one at x itself. Between two calls the parameters are never at x;
`sync` shows it.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from .._checks import positive
from ..integrators import CutIntegrator
from ..noise import NoiseSource
from ..objectives.heat import TOTAL, gather_gradients, shake_
from ..objectives.tethered import ANCHOR
from ..schedules import Schedule
from ._adapter import Group, OnNonfinite, ParamsT
from ._rounds import RoundOptimizer

__all__ = ["HEAT"]


class HEAT(RoundOptimizer):
    """Descent on the solution of the heat equation that starts at the loss.

    Args:
        params: parameters, named parameters or groups.
        lr: η ≥ 0, of the outer step; what schedulers change.
        scope: γ > 0, the variance of the noise, or a schedule of it by rounds.
        inner_steps: L ≥ 1, gradients a round.
        momentum: μ of the outer step, Nesterov's.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y, section 5; thesis, eq. (4.43).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        scope: float | Schedule,
        inner_steps: int = 20,
        momentum: float = 0.0,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "word": gather_gradients(),
            "temperature": 0.0,
            "friction": 0.0,
            "mass": 1.0,
        }
        super().__init__(
            params,
            defaults,
            inner_steps=inner_steps,
            scope=scope,
            noise=noise,
            generator=generator,
            on_nonfinite=on_nonfinite,
        )

    def _scope_at(self, rounds: int) -> float:
        return positive(super()._scope_at(rounds), "scope", "HEAT")

    def _wrap(self, method: CutIntegrator) -> CutIntegrator:
        return method

    @property
    def at_outer_point(self) -> bool:
        """Whether the parameters are the ones to evaluate: before the first step, or synced."""
        return self._shown is not None or self._clock["steps"] == 0

    def _descent(self, rows: Sequence[Tensor]) -> list[Tensor] | None:
        return [total / self.inner_steps for total in self._column(rows, TOTAL)]

    def _restart_group(self, group: Group, rows: list[Tensor]) -> None:
        super()._restart_group(group, rows)
        for total in self._column(rows, TOTAL):
            total.zero_()

    def _tick(self) -> None:
        super()._tick()
        with torch.no_grad():
            for group in self.param_groups:
                for q in self._begun(group):
                    shake_([q], [self.state[q][ANCHOR]], self.scope, self._noise(q.device))
