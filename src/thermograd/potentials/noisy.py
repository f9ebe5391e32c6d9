"""Force with additive Gaussian noise: a minibatch gradient whose covariance is known."""

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import non_negative, require
from ..state import Params
from .base import Batch, Potential


@final
@dataclass(frozen=True, eq=False)
class NoisyForce:
    """Force f + sd·ξ, ξ ~ N(0, I) drawn afresh at every evaluation; the energy stays exact.

    In a step of length h this noise acts like the temperature h sd²/(2γ) on an underdamped
    method, and h sd²/2 on an overdamped one, to first order in h.

    Attributes:
        potential: the potential whose force is disturbed.
        sd: standard deviation per component, sd ≥ 0, in units of the force.
        generator: source of the noise, on the device of the positions; it should be owned by
            this object alone, so that other streams do not depend on it.
    """

    potential: Potential
    sd: float
    generator: torch.Generator

    def __post_init__(self) -> None:
        ok = isinstance(self.potential, Potential)  # pyright: ignore[reportUnnecessaryIsInstance]
        require(ok, "potential", "NoisyForce", "a potential (with `force`)", self.potential)
        non_negative(self.sd, "sd", "NoisyForce")

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        """Write −∇U(q) + sd·ξ into `out` and return U per walker, shape (W,)."""
        energy = self.potential.force(q, batch, out=out)
        for tensor in out:
            xi = torch.empty_like(tensor).normal_(generator=self.generator)
            tensor.add_(xi, alpha=self.sd)
        return energy
