"""Covariance control (CCAdL): friction against the noise of the batches, coordinate by coordinate.

A force with noise of variance Σ_j in coordinate j heats it as much as a friction of h Σ_j/(2mT)
cools it. That friction is put in, half before and half after the step of a method with a
thermostat, such as "baefeab", whose one variable is left with what is the same in all coordinates:

    p_j ← exp(−h² Σ_j/(4mT)) p_j,   the step,   p_j ← exp(−h² Σ_j/(4mT)) p_j

Every `every` steps Σ is measured for every walker where it is, by two batches a and b at one place,
and the n-th measurement goes into a running mean:

    Σ_j ← (1 − κ) Σ_j + κ (f_a − f_b)_j²/2,   κ = max(1/n, 1/memory)

The source takes the spread of the gradients of single examples within a batch instead, which a
potential does not tell. Costs two gradients every `every` steps.

References:
    Shang, Zhu, Leimkuhler and Storkey (2015), Covariance-controlled adaptive Langevin thermostat
    for large-scale Bayesian sampling, arXiv:1510.08692.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch

from .._checks import positive_int, require
from .._errors import ParameterError
from ..integrators import Integrator
from ..state import Part
from ._damped import Damped
from ._preconditioned import flatten
from .base import Ensemble, Event, Moment

__all__ = ["CovarianceControl"]


@final
@dataclass(frozen=True, slots=True)
class CovarianceControl(Ensemble):
    """Friction that balances the noise of the batches.

    Attributes:
        every: steps between two measurements.
        memory: measurements in the running mean.
    """

    every: int = 10
    memory: int = 100

    def __post_init__(self) -> None:
        positive_int(self.every, "every", "CovarianceControl")
        positive_int(self.memory, "memory", "CovarianceControl")

    def require(self, part: Part, method: Integrator, temperature: float) -> None:
        """Refuse methods without momenta and T = 0.

        Raises:
            ParameterError: for methods without momenta.
        """
        if not part.p:
            raise ParameterError(
                "CovarianceControl needs a method with momenta, best one with a thermostat such as "
                "'baefeab': without momenta there is nothing to damp"
            )
        ok = temperature > 0
        require(ok, "temperature", "sample with CovarianceControl", "above 0", temperature)

    def wrap(self, method: Integrator) -> Integrator:
        """Return the method between two halves of the friction."""
        return Damped(method)

    def begin(self, part: Part) -> None:
        """Start with no friction."""
        part.coupling["noise_variance"] = torch.zeros_like(flatten(part.q))
        part.coupling["measured"] = part.q[0].new_zeros(1)

    def next_update(self, step: int) -> int:
        """Return the next multiple of `every`."""
        return (step // self.every + 1) * self.every

    def update(self, part: Part, moment: Moment) -> Sequence[Event]:
        """Measure."""
        first, second = (self._force(part, moment) for _ in range(2))
        part.coupling["measured"].add_(1)
        share = max(1 / float(part.coupling["measured"]), 1 / self.memory)
        found = (first - second).square() / 2
        variance = part.coupling["noise_variance"]
        variance.lerp_(torch.where(moment.is_alive.unsqueeze(1), found, variance), share)
        return ()

    def _force(self, part: Part, moment: Moment) -> torch.Tensor:
        out = [torch.empty_like(x) for x in part.q]
        moment.potential.force(part.q, moment.draw_batch(), out=out)
        return flatten(out)
