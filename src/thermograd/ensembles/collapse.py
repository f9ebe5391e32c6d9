"""Walker collapse: from time to time all walkers go on from where the best one is.

Each collapse moves the walkers to the lowest U over all the data; their momenta stay their own. It
is a search for a good start, not sampling: until the step `until` the law is not that of the
target, so let the burn-in last longer.

References:
    Heber, Trstanova and Leimkuhler (2020), arXiv:1903.08640, and its software.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch

from .._checks import positive_int
from .._foreach import copy_
from ..state import Part
from .base import NEVER, Ensemble, Event, Moment

__all__ = ["Collapse"]


@final
@dataclass(frozen=True, slots=True)
class Collapse(Ensemble):
    """All walkers are set to the best one.

    Attributes:
        every: steps between two collapses.
        until: the last step that may have one.
    """

    every: int
    until: int

    def __post_init__(self) -> None:
        positive_int(self.every, "every", "Collapse")
        positive_int(self.until, "until", "Collapse")

    def next_update(self, step: int) -> int:
        """Return the next multiple of `every`, up to `until`."""
        due = (step // self.every + 1) * self.every
        return due if due <= self.until else NEVER

    def update(self, part: Part, moment: Moment) -> Sequence[Event]:
        """Put every living walker where the one of lowest U is."""
        energy = moment.energy(part.q).where(moment.is_alive, torch.inf)
        best = energy.nan_to_num(nan=torch.inf).argmin()
        here = torch.arange(len(energy), device=energy.device)
        order = torch.where(moment.is_alive, best, here)
        # momenta and noise stay each walker's own
        tensors = [*part.q, *part.force.tensors]
        for force in part.components.values():
            tensors += force.tensors
        tensors += [] if part.energy is None else [part.energy]
        copy_(tensors, [tensor[order] for tensor in tensors])
        return ()
