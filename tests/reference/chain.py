"""A chain of three coordinates, stiff and soft: for torch, and in Python floats.

    U_slow = ¼ a Q⁴ + ½ k Q²
    U_fast = ½ s (x − Q)² + ½ r (y − x)² + ¼ b y⁴

Nothing in it is symmetric, separable or of unit size.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from thermograd.potentials import Potential
from thermograd.state import Params

A, K, S, R, B = 0.3, 0.8, 2.1, 1.4, 0.25


def slow_force(q: list[float]) -> list[float]:
    """Return −∇U_slow."""
    return [-A * q[0] ** 3 - K * q[0], 0.0, 0.0]


def fast_force(q: list[float]) -> list[float]:
    """Return −∇U_fast."""
    big, x, y = q
    return [S * (x - big), -S * (x - big) + R * (y - x), -R * (y - x) - B * y**3]


def force(q: list[float]) -> list[float]:
    """Return −∇U."""
    return [s + f for s, f in zip(slow_force(q), fast_force(q), strict=True)]


def energy(q: list[float]) -> float:
    """Return U."""
    big, x, y = q
    slow = A * big**4 / 4 + K * big**2 / 2
    return slow + S * (x - big) ** 2 / 2 + R * (y - x) ** 2 / 2 + B * y**4 / 4


@dataclass(frozen=True)
class Term:
    """The slow term, the fast term, or both, on any list of walker-first tensors.

    Attributes:
        slow: 1.0 to count U_slow, else 0.0.
        fast: 1.0 to count U_fast, else 0.0.
        order: which column of the tensors, side by side, is Q, x and y.
    """

    slow: float
    fast: float
    order: tuple[int, int, int] = (0, 1, 2)

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        """Write the force by autograd, so that only U is typed here; return U."""
        with torch.enable_grad():
            columns = torch.cat([t.detach().flatten(1) for t in q], dim=1).requires_grad_()
            big, x, y = (columns[:, k] for k in self.order)
            slow = A * big**4 / 4 + K * big**2 / 2
            fast = S * (x - big) ** 2 / 2 + R * (y - x) ** 2 / 2 + B * y**4 / 4
            total = self.slow * slow + self.fast * fast
            (gradient,) = torch.autograd.grad(total.sum(), columns)
        start = 0
        for tensor in out:
            size = tensor[0].numel()
            tensor.copy_(-gradient[:, start : start + size].view(tensor.shape))
            start += size
        return total.detach()


@dataclass(frozen=True)
class Chain(Term):
    """The whole chain, with its two terms by name."""

    slow: float = 1.0
    fast: float = 1.0

    @property
    def components(self) -> Mapping[str, Potential]:
        """The terms, by name."""
        return {"slow": Term(1.0, 0.0, self.order), "fast": Term(0.0, 1.0, self.order)}
