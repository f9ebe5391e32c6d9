"""Simulated tempering: every walker climbs up and down a ladder of temperatures.

Every `every` steps each walker, at T_k, picks a neighbour j = k ± 1 and moves there with
probability

    min(1, exp(−(1/T_j − 1/T_k) U + ζ_k − ζ_j))

(a neighbour that does not exist is refused), its momenta scaled by √(T_j/T_k). Given T_k the law
is exp(−U/T_k), whatever the weights ζ are; with ζ_k = log ∫ exp(−U/T_k) dq all rungs are visited
alike.

Until the step `learn_until` the weights are learnt from the visits of all walkers, by stochastic
approximation: after the n-th round, with s_k the share of the walkers on rung k,

    ζ_k ← ζ_k + a_n (K s_k − 1),   a_n = a/(a + n),   a = `memory`

and ζ_0 is taken off. From then on they stay, and the law is exact.

The draws are at all temperatures: take those whose `rung` in `sample_stats` is 0.

References:
    Marinari and Parisi (1992), doi:10.1209/0295-5075/19/6/002.
    Tan (2017), Optimally adjusted mixture sampling and locally weighted histogram analysis,
    doi:10.1080/10618600.2015.1113975, for the weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch

from .._checks import positive, positive_int
from ..integrators import Integrator
from ..state import Part
from ._ladder import at_home, check_ladder, set_temperatures
from .base import Ensemble, Event, Moment

__all__ = ["SimulatedTempering"]


@final
@dataclass(frozen=True, slots=True)
class SimulatedTempering(Ensemble):
    """A temperature of its own for every walker, which it changes.

    Attributes:
        temperatures: the ladder T_0 < … < T_{K−1}; T_0 is the run's.
        learn_until: the step from which the weights stay.
        every: steps between two moves on the ladder.
        memory: a > 0, rounds before the weights settle.
    """

    temperatures: Sequence[float]
    learn_until: int
    every: int = 10
    memory: float = 20.0

    def __post_init__(self) -> None:
        owner = "SimulatedTempering"
        object.__setattr__(self, "temperatures", check_ladder(self.temperatures, owner))
        positive_int(self.learn_until, "learn_until", owner)
        positive_int(self.every, "every", owner)
        positive(self.memory, "memory", owner)

    @property
    def record_names(self) -> tuple[str, ...]:
        """The rung of every walker."""
        return ("rung",)

    def require(self, part: Part, method: Integrator, temperature: float) -> None:
        """Refuse a ladder that does not begin at the run's temperature."""
        at_home(self.temperatures, temperature, "SimulatedTempering")

    def begin(self, part: Part) -> None:
        """Start all walkers at T_0, all weights 0."""
        q = part.q[0]
        part.temperature = q.new_full((q.shape[0],), self.temperatures[0])
        part.records["rung"] = torch.zeros_like(part.temperature)
        part.coupling["weights"] = q.new_zeros(len(self.temperatures))

    def next_update(self, step: int) -> int:
        """Return the next multiple of `every`."""
        return (step // self.every + 1) * self.every

    def update(self, part: Part, moment: Moment) -> Sequence[Event]:
        """Try one move of every walker, then learn."""
        rung, weights = part.records["rung"], part.coupling["weights"]
        ladder, top = weights.new_tensor(self.temperatures), len(self.temperatures) - 1
        draws = [torch.empty_like(rung).uniform_(generator=moment.generator) for _ in range(2)]
        old = rung.nan_to_num(nan=0.0).long()
        new = old + torch.where(draws[0] < 0.5, -1, 1)
        exists = (new >= 0) & (new <= top) & moment.is_alive
        new = new.clamp(0, top)
        log_ratio = weights[old] - weights[new]
        log_ratio = log_ratio - (1 / ladder[new] - 1 / ladder[old]) * moment.energy(part.q)
        goes = exists & (draws[1].log() < log_ratio)
        new = torch.where(goes, new, old)
        set_temperatures(part, ladder[new])
        rung.copy_(new)
        if moment.step < self.learn_until:
            self._learn(part, moment)
        return ()

    def _learn(self, part: Part, moment: Moment) -> None:
        rung, weights = part.records["rung"], part.coupling["weights"]
        visits = torch.bincount(rung[moment.is_alive].long(), minlength=len(weights))
        share = visits.to(weights) / int(moment.is_alive.sum())
        gain = self.memory / (self.memory + moment.step / self.every)
        weights.add_(len(weights) * share - 1, alpha=gain)
        weights.sub_(weights[0].clone())

    def reported(self, num_walkers: int) -> Sequence[int]:
        """Return no walker: each is at all temperatures in turn."""
        return ()
