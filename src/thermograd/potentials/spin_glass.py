"""Spherical p-spin glass: a random polynomial on a sphere, with many minima or, in a field, one.

    U(q) = −N^{−(p−1)/2} Σ J_{i₁…i_p} q_{i₁} … q_{i_p} − Σ hᵢ qᵢ,   |q|² = N
    f    = p N^{−(p−1)/2} S q … q + h

with J and h drawn once: J ~ J₀ N(0, 1), h ~ ν N(0, 1), independent. S, the mean of J over orders of
its indices, has the same energy and is all that is kept. The sphere is that of
`geometry.Sphere(√N, per="tensor")`. Over draws of J and h

    E U = 0,   E U(q) U(q') = J₀² N R^p + ν² N R,   R = q·q'/N
    the gradient's part along the sphere has variance p J₀² + ν² in each of its N − 1 directions

`spin_glass_counts` has how many critical points there are. A force costs N^p multiplications.

References:
    Chaudhari (2018), thesis, University of California, Los Angeles, eqs (2.4), (2.14), (2.32);
    Auffinger, Ben Arous and Cerny (2013), doi:10.1002/cpa.21422.
"""

import itertools
import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import is_int, non_negative, positive, positive_int, require
from ..state import Params
from .analytic import flatten, write_
from .base import Batch

__all__ = ["SpinGlass"]

_CHUNK = 2_000_000  # numbers of an intermediate result, over walkers


@final
@dataclass(frozen=True, slots=True, eq=False)
class SpinGlass:
    """Spherical p-spin glass with an external field; `draw` makes one.

    Positions are on the sphere |q|² = N by `geometry.Sphere`, not by this potential. There is no
    direct sampler.

    Attributes:
        couplings: S, symmetric, (N, …, N) with p axes.
        field: h, shape (N,).
    """

    couplings: Tensor
    field: Tensor

    def __post_init__(self) -> None:
        shape, size = tuple(self.couplings.shape), len(self.field)
        ok = len(shape) >= 2 and set(shape) == {size}
        require(ok, "couplings", "SpinGlass", f"{size} long on two axes or more", shape)
        turned = [self.couplings.movedim(0, 1), self.couplings.movedim(0, -1)]
        close = all(torch.allclose(self.couplings, other, atol=1e-5) for other in turned)
        require(close, "couplings", "SpinGlass", "symmetric in its axes", shape)

    @staticmethod
    def draw(
        num_spins: int,
        order: int = 3,
        *,
        generator: torch.Generator,
        field_size: float = 0.0,
        coupling: float = 1.0,
        dtype: torch.dtype = torch.float32,
    ) -> "SpinGlass":
        """Draw J and h.

        Args:
            num_spins: N.
            order: p ≥ 2; N^p numbers are kept.
            generator: source of the draws, in float64, J first.
            field_size: ν ≥ 0.
            coupling: J₀ > 0.
            dtype: of what is kept.
        """
        positive_int(num_spins, "num_spins", "SpinGlass.draw")
        ok = is_int(order) and order >= 2
        require(ok, "order", "SpinGlass.draw", "an integer of 2 or more", order)
        positive(coupling, "coupling", "SpinGlass.draw")
        non_negative(field_size, "field_size", "SpinGlass.draw")
        shape, where = (num_spins,) * order, generator.device
        drawn = torch.randn(shape, generator=generator, dtype=torch.float64, device=where)
        total = torch.zeros_like(drawn)
        for axes in itertools.permutations(range(order)):
            total += drawn.permute(axes)
        total *= coupling / math.factorial(order)
        h = torch.randn(num_spins, generator=generator, dtype=torch.float64, device=where)
        return SpinGlass(total.to(dtype), (field_size * h).to(dtype))

    @property
    def num_params(self) -> int:
        """The number of spins, N."""
        return len(self.field)

    @property
    def order(self) -> int:
        """The number of spins in a term, p."""
        return self.couplings.dim()

    def energy(self, q: Params) -> Tensor:
        """Return U per walker, shape (W,)."""
        return self._evaluate(flatten(q, self.num_params, "SpinGlass"))[0]

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker, shape (W,)."""
        energy, force = self._evaluate(flatten(q, self.num_params, "SpinGlass"))
        write_(out, force)
        return energy

    def hessian(self, q: Tensor) -> Tensor:
        """Return the matrix of second derivatives of U at one point, (N,) to (N, N).

        Along the sphere the second derivative is P(∇²U − (q·∇U/N) I)P, P = I − qqᵀ/N.
        """
        found = self.couplings
        for _ in range(self.order - 2):
            found = found @ q
        return -self._scale() * self.order * (self.order - 1) * found

    def _scale(self) -> float:
        return self.num_params ** (-(self.order - 1) / 2)

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        size = max(1, _CHUNK // self.num_params ** (self.order - 1))
        slopes = self._scale() * torch.cat([self._contracted(part) for part in x.split(size)])
        energy = -(x * slopes).sum(1) - x @ self.field
        return energy, self.order * slopes + self.field

    def _contracted(self, x: Tensor) -> Tensor:
        """Return S q … q with p − 1 factors q, shape (W, N)."""
        num_walkers, n = x.shape
        found = x @ self.couplings.reshape(n, -1)
        for _ in range(self.order - 2):
            found = (x.unsqueeze(1) @ found.view(num_walkers, n, -1)).squeeze(1)
        return found
