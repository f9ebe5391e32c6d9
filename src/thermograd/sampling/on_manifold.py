"""A target seen in the coordinates of a manifold."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from .._foreach import copy_
from ..geometry import Hidden, Manifold
from ..potentials.base import Batch, Potential, SplitPotential
from ..state import Params

__all__ = ["OnManifold"]


@dataclass(frozen=True, slots=True)
class OnManifold:
    """U at the positions that coordinates stand for, with its force pulled back to them.

    Slack variables feel no force.

    Attributes:
        potential: U of the positions.
        geometry: the manifold.
    """

    potential: Potential
    geometry: Manifold

    @property
    def components(self) -> Mapping[str, Potential]:
        """The terms of U, each in the coordinates."""
        terms = self.potential.components if isinstance(self.potential, SplitPotential) else {}
        return {name: OnManifold(term, self.geometry) for name, term in terms.items()}

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        if not isinstance(self.geometry, Hidden):
            return self.potential.force(q, batch, out=out)
        places = self.geometry.positions(q)
        forces = [torch.empty_like(place) for place in places]
        energy = self.potential.force(places, batch, out=forces)
        copy_(out, self.geometry.pull_back(q, forces))
        return energy
