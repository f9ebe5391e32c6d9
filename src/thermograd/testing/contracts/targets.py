"""Polynomial targets, split into a slow and a fast term, for one or two coordinates.

    U(q) = ½ Σ_ij K_ij q_i q_j + ¼ Σ_ij A_ij q_i² q_j²

The coordinates couple, so that a method that mixes them up is noticed, and no constant is 1.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ...potentials.base import Batch
from ...potentials.sum import Sum
from ...state import Params

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Well:
    """A quadratic well with quartic walls.

    Attributes:
        quadratic: K, symmetric.
        quartic: A, symmetric; all 0 makes the well harmonic.
    """

    quadratic: Matrix
    quartic: Matrix

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker, shape (W,)."""
        x = torch.cat([tensor.flatten(1) for tensor in q], dim=1)
        kx = x @ x.new_tensor(self.quadratic)
        ax = x.square() @ x.new_tensor(self.quartic)
        f = -kx - x * ax
        sizes = [tensor[0].numel() for tensor in out]
        for tensor, columns in zip(out, f.split(sizes, dim=1), strict=True):
            tensor.copy_(columns.reshape(tensor.shape))
        return (x * kx / 2 + x.square() * ax / 4).sum(1)


@dataclass(frozen=True, slots=True)
class Target:
    """A well and its two terms.

    Attributes:
        slow: the term that is evaluated seldom, where a method evaluates terms apart.
        fast: the other one.
    """

    slow: Well
    fast: Well

    @property
    def num_params(self) -> int:
        """The number of coordinates."""
        return len(self.slow.quadratic)

    @property
    def potential(self) -> Sum:
        """What a method evaluates."""
        return Sum({"slow": self.slow, "fast": self.fast})

    @property
    def quadratic(self) -> Tensor:
        """K of the sum, float64."""
        return _tensor(self.slow.quadratic) + _tensor(self.fast.quadratic)

    @property
    def quartic(self) -> Tensor:
        """A of the sum, float64."""
        return _tensor(self.slow.quartic) + _tensor(self.fast.quartic)


def harmonic(slow: Matrix, fast: Matrix) -> Target:
    """Make a target without quartic terms."""
    flat = tuple(tuple(0.0 for _ in row) for row in slow)
    return Target(Well(slow, flat), Well(fast, flat))


def coupled_harmonic() -> Target:
    """Return the harmonic target of the contracts: two coordinates, frequencies up to 1.6."""
    return harmonic(((0.45, -0.2), (-0.2, 0.35)), ((1.6, 0.25), (0.25, 0.9)))


def coupled_quartic() -> Target:
    """Return the quartic target of the contracts: two coordinates."""
    slow = Well(((0.4, -0.15), (-0.15, 0.3)), ((0.2, 0.1), (0.1, 0.3)))
    fast = Well(((0.7, 0.2), (0.2, 0.5)), ((0.6, 0.15), (0.15, 0.4)))
    return Target(slow, fast)


def single_quartic() -> Target:
    """Return the quartic target with one coordinate, whose stationary laws are computed."""
    return Target(Well(((0.3,),), ((0.2,),)), Well(((0.5,),), ((0.5,),)))


def _tensor(rows: Matrix) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)
