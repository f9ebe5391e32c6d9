"""What an ensemble is: walkers of one process that look at each other between steps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from .._foreach import copy_
from ..integrators import Integrator
from ..potentials.base import Batch, Potential
from ..state import Params, Part

__all__ = ["NEVER", "Ensemble", "Event", "Moment", "permute_walkers"]

Event: TypeAlias = tuple[str, Mapping[str, object]]

NEVER = 2**62


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment between two steps at which an ensemble acts.

    Attributes:
        step: steps done.
        step_size: h of the step to come.
        is_alive: which walkers still run, (W,).
        potential: U.
        draw_batch: returns a batch for a look at the force; None where U takes none.
        generator: a stream for this moment alone.
    """

    step: int
    step_size: float
    is_alive: Tensor
    potential: Potential
    draw_batch: Callable[[], Batch]
    generator: torch.Generator

    def energy(self, q: Params) -> Tensor:
        """Return U over all the data per walker, (W,)."""
        return self.potential.force(q, None, out=[torch.empty_like(x) for x in q])


class Ensemble:
    """A coupling of walkers: it prepares the part, wraps the method, and acts between steps.

    All state is in the part (its temperature, its coupling and its records), so that it is
    compiled, saved and resumed with it. This base couples nothing.
    """

    @property
    def record_names(self) -> tuple[str, ...]:
        """Entries of `Part.records` that are worth recording."""
        return ()

    def require(self, part: Part, method: Integrator, temperature: float) -> None:
        """Refuse what the ensemble cannot do."""

    def wrap(self, method: Integrator) -> Integrator:
        """Return the method as it runs in this ensemble."""
        return method

    def begin(self, part: Part) -> None:
        """Put into `part` what the coupling needs, before momenta are drawn."""

    def next_update(self, step: int) -> int:
        """Return after which number of steps, above `step`, `update` is due."""
        return NEVER

    def update(self, part: Part, moment: Moment) -> Sequence[Event]:
        """Act on `part` in place; return what a person should know."""
        return ()

    def is_recorded(self, step: int) -> bool:
        """Tell whether the state after `step` steps is a draw."""
        return True

    def reported(self, num_walkers: int) -> Sequence[int]:
        """Return the walkers whose draws are at the run's temperature."""
        return range(num_walkers)


def permute_walkers(part: Part, order: Tensor) -> None:
    """Let walker i go on from where walker order[i] is; temperatures stay where they are."""
    tensors = [*part.variables(), *part.force.tensors]
    for force in part.components.values():
        tensors += force.tensors
    tensors += [] if part.energy is None else [part.energy]
    copy_(tensors, [tensor[order] for tensor in tensors])
