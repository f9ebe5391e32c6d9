"""Parallel tempering: walkers on a ladder of temperatures, neighbours trade places.

Walker w runs at T_k, k = w mod K. Every `every` steps the neighbours (k, k + 1) of one ladder, with
k even and odd in turn, exchange positions with probability

    min(1, exp((1/T_k − 1/T_{k+1}) (U_k − U_{k+1})))

and their momenta, scaled to the new temperature. The product of the laws exp(−U/T_k) is invariant.
Warm walkers cross barriers and hand what they find down to the cold ones. U is taken over all
the data, an evaluation more for each exchange where the force comes from batches.

References:
    Swendsen and Wang (1986), doi:10.1103/PhysRevLett.57.2607; Geyer (1991), Markov chain Monte
    Carlo maximum likelihood, Computing Science and Statistics 23.
    Lingenheil, Denschlag, Mathias and Tavan (2009), Chemical Physics Letters 478, 80–84, on
    even and odd in turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch

from .._checks import positive_int
from .._errors import ParameterError
from .._foreach import scale_
from ..integrators import Integrator
from ..state import Part
from ._ladder import at_home, check_ladder
from .base import Ensemble, Event, Moment, permute_walkers

__all__ = ["ParallelTempering"]


@final
@dataclass(frozen=True, slots=True)
class ParallelTempering(Ensemble):
    """Exchange of places between neighbouring temperatures.

    Attributes:
        temperatures: the ladder T_0 < … < T_{K−1}; T_0 is the run's. The number of walkers is a
            multiple of K, one ladder after the other.
        every: steps between two rounds of exchanges.
    """

    temperatures: Sequence[float]
    every: int = 10

    def __post_init__(self) -> None:
        ladder = check_ladder(self.temperatures, "ParallelTempering")
        object.__setattr__(self, "temperatures", ladder)
        positive_int(self.every, "every", "ParallelTempering")

    @property
    def record_names(self) -> tuple[str, ...]:
        """The probability of the last exchange tried with the next warmer walker."""
        return ("swap_acceptance",)

    def require(self, part: Part, method: Integrator, temperature: float) -> None:
        """Refuse a number of walkers that is no multiple of the ladder, or another T.

        Raises:
            ParameterError: for either.
        """
        width, rungs = part.q[0].shape[0], len(self.temperatures)
        at_home(self.temperatures, temperature, "ParallelTempering")
        if width % rungs:
            raise ParameterError(
                f"ParallelTempering over {rungs} temperatures needs a multiple of {rungs} "
                f"walkers; got {width}"
            )

    def begin(self, part: Part) -> None:
        """Put the walkers on their rungs."""
        q = part.q[0]
        ladder = q.new_tensor(self.temperatures)
        part.temperature = ladder.repeat(q.shape[0] // len(ladder))
        part.records["swap_acceptance"] = torch.full_like(part.temperature, torch.nan)

    def next_update(self, step: int) -> int:
        """Return the next multiple of `every`."""
        return (step // self.every + 1) * self.every

    def update(self, part: Part, moment: Moment) -> Sequence[Event]:
        """Try one round of exchanges."""
        energy, rungs = moment.energy(part.q), len(self.temperatures)
        width = len(energy)
        heat = energy.new_tensor(self.temperatures).repeat(width // rungs)
        low = torch.arange(width - 1, device=heat.device)
        parity = (moment.step // self.every) % 2
        low = low[(low % rungs % 2 == parity) & (low % rungs != rungs - 1)]
        low = low[moment.is_alive[low] & moment.is_alive[low + 1]]
        gap = (energy[low] - energy[low + 1]) * (1 / heat[low] - 1 / heat[low + 1])
        probability = gap.clamp(max=0.0).exp().nan_to_num(nan=0.0)
        draws = torch.empty_like(probability).uniform_(generator=moment.generator)
        chosen = low[draws < probability]
        order = torch.arange(width, device=heat.device)
        order[chosen], order[chosen + 1] = chosen + 1, chosen
        permute_walkers(part, order)
        scale_(part.p, (heat / heat[order]).sqrt())
        part.records["swap_acceptance"][low] = probability
        return ()

    def reported(self, num_walkers: int) -> Sequence[int]:
        """Return the walkers at T_0."""
        return range(0, num_walkers, len(self.temperatures))
