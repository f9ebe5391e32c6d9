"""Gauss quadrature and orthonormal polynomials for weights on the line.

√b_{k+1} φ_{k+1}(x) = (x − a_k) φ_k(x) − √b_k φ_{k−1}(x),   φ_0 = 1
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ..._errors import ClaimError


@dataclass(frozen=True, slots=True)
class Weight:
    """A probability density on the line, by the recurrence of its orthonormal polynomials.

    Attributes:
        a: recurrence coefficients a_0, a_1, ….
        b: recurrence coefficients b_1, b_2, …, as many.
    """

    a: Tensor
    b: Tensor

    def rule(self, num: int) -> tuple[Tensor, Tensor]:
        """Return nodes and weights, exact for polynomials up to degree 2 num − 1."""
        off = self.b[: num - 1].sqrt()
        jacobi = torch.diag(self.a[:num]) + torch.diag(off, 1) + torch.diag(off, -1)
        nodes, vectors = torch.linalg.eigh(jacobi)
        return nodes, vectors[0].square()

    def polynomials(self, x: Tensor, degree: int) -> Tensor:
        """Return φ_0 … φ_degree at x, shape (degree + 1, …)."""
        rows, before = [torch.ones_like(x)], torch.zeros_like(x)
        for k in range(degree):
            past = before * math.sqrt(float(self.b[k - 1])) if k else before
            following = ((x - self.a[k]) * rows[-1] - past) / math.sqrt(float(self.b[k]))
            before = rows[-1]
            rows.append(following)
        return torch.stack(rows)


def normal_weight(variance: float, num: int, mean: float = 0.0) -> Weight:
    """Return N(mean, variance), with polynomials up to degree `num`."""
    means = torch.full((num,), mean, dtype=torch.float64)
    return Weight(means, variance * torch.arange(1, num + 1, dtype=torch.float64))


def boltzmann_weight(energy: Callable[[Tensor], Tensor], reach: float, num: int) -> Weight:
    """Return the density ∝ exp(−energy) on (−reach, reach), by the Stieltjes procedure.

    The trapezoidal rule is exact to rounding for a smooth density that has decayed at the ends.
    """
    x = torch.linspace(-reach, reach, 4001, dtype=torch.float64)
    w = (-energy(x)).exp()
    w = w / w.sum()
    row, before, b = torch.ones_like(x), torch.zeros_like(x), 0.0
    a_s: list[float] = []
    b_s: list[float] = []
    for _ in range(num):
        a = float((w * x * row * row).sum())
        following = (x - a) * row - math.sqrt(b) * before
        b = float((w * following * following).sum())
        before, row = row, following / math.sqrt(b)
        a_s.append(a)
        b_s.append(b)
    return Weight(torch.tensor(a_s, dtype=x.dtype), torch.tensor(b_s, dtype=x.dtype))


def product_rule(rules: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """Return the product of rules: points (N, number of rules) and weights (N,)."""
    if not rules:
        return torch.zeros(1, 0, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    points = torch.cartesian_prod(*(nodes for nodes, _ in rules)).reshape(-1, len(rules))
    weights = torch.cartesian_prod(*(weights for _, weights in rules)).reshape(-1, len(rules))
    return points, weights.prod(1)


def noise_rule(num_dimensions: int, most: int) -> tuple[Tensor, Tensor]:
    """Return a rule for standard normals, of 3 to 8 nodes a dimension, as `most` points allow.

    Raises:
        ClaimError: if there are more than 12 dimensions.
    """
    if num_dimensions > 12:
        raise ClaimError(f"{num_dimensions} draws a step are too many for quadrature; at most 12")
    num = 8
    while num > 3 and num**num_dimensions > most:
        num -= 1
    return product_rule([normal_weight(1.0, num).rule(num)] * num_dimensions)
