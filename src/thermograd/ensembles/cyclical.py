"""Cyclical SG-MCMC: in each cycle first explore without noise, then sample.

A cycle of `period` steps begins at T = 0 for a share `explore` of it, with the large steps of a
`schedules.Cyclical` step size, and ends at the run's temperature, with small ones; only states of
the second phase are recorded. At the start of it the momenta are left as they are, and the bath
warms them.

References:
    Zhang, Li, Zhang, Chen and Wilson (2020), arXiv:1902.03932, Algorithm 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from torch import Tensor

from .._checks import positive, positive_int, require
from ..integrators import Integrator
from ..state import Part
from .base import Ensemble, Event, Moment

__all__ = ["CyclicalPhases"]


@final
@dataclass(frozen=True, slots=True)
class CyclicalPhases(Ensemble):
    """A cold phase of exploration and a phase of sampling, in turn.

    Attributes:
        period: steps of a cycle; that of the step size's schedule.
        explore: the share of it that is cold, above 0 and below 1.
    """

    period: int
    explore: float = 0.8

    def __post_init__(self) -> None:
        owner = "CyclicalPhases"
        positive_int(self.period, "period", owner)
        positive(self.explore, "explore", owner)
        ok = 0 < self.cold_steps < self.period
        require(ok, "explore", owner, "such that both phases have a step", self.explore)

    @property
    def cold_steps(self) -> int:
        """Steps of the phase of exploration."""
        return round(self.explore * self.period)

    def require(self, part: Part, method: Integrator, temperature: float) -> None:
        """Refuse acceptance tests, which need T above 0."""
        ok = not method.claims.is_metropolised
        owner = "sample with CyclicalPhases"
        require(ok, "method", owner, "without an acceptance test, which has no T = 0", method)

    def begin(self, part: Part) -> None:
        """Keep the temperature wanted, and begin cold."""
        width = part.q[0].shape[0]
        wanted = part.q[0].new_zeros(width) + part.temperature
        part.coupling["wanted"] = wanted
        part.temperature = wanted.new_zeros(width)

    def next_update(self, step: int) -> int:
        """Return the next step at which a phase begins."""
        start = step - step % self.period
        warm = start + self.cold_steps
        return warm if step < warm else start + self.period

    def update(self, part: Part, moment: Moment) -> Sequence[Event]:
        """Change the temperature."""
        is_cold = moment.step % self.period < self.cold_steps
        if isinstance(part.temperature, Tensor):
            part.temperature.copy_(part.coupling["wanted"] * (0.0 if is_cold else 1.0))
        return ()

    def is_recorded(self, step: int) -> bool:
        """Record what a warm step led to."""
        return (step - 1) % self.period >= self.cold_steps
