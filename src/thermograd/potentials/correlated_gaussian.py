"""Gaussian with any precision matrix: the linear test problem with coupled coordinates.

U(q) = ½ qᵀ A q,   f = −A q,   law q ~ N(0, T A⁻¹)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self, final

import torch
from torch import Tensor

from .._checks import is_real, positive, require
from .analytic import Analytic, standard_normal

Matrix = tuple[tuple[float, ...], ...]


@final
@dataclass(frozen=True, slots=True)
class CorrelatedGaussian(Analytic):
    """Gaussian potential U = ½ qᵀ A q.

    Observables: `q` and `q^2`, means over the coordinates, and `(sum q)^2 / d`, which sees the
    correlations: its average is T 1ᵀA⁻¹1/d.

    Attributes:
        precision: A, symmetric and positive definite, as nested tuples of rows.
    """

    precision: Matrix
    _matrix: Tensor = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        owner, rows = "CorrelatedGaussian", self.precision
        d = len(rows)
        square = d > 0 and all(len(row) == d for row in rows)
        require(square, "precision", owner, "a square matrix, given by its rows", rows)
        finite = all(is_real(a) for row in rows for a in row)
        require(finite, "precision", owner, "a matrix of finite numbers", rows)
        matrix = torch.tensor(rows, dtype=torch.float64)
        asymmetry = float((matrix - matrix.T).abs().max())
        symmetric = asymmetry <= 1e-12 * float(matrix.abs().max())
        require(symmetric, "precision", owner, "a symmetric matrix", rows)
        failed = int(torch.linalg.cholesky_ex(matrix).info)
        require(failed == 0, "precision", owner, "a positive definite matrix", rows)
        object.__setattr__(self, "precision", tuple(tuple(float(a) for a in row) for row in rows))
        object.__setattr__(self, "_matrix", matrix)

    @classmethod
    def from_spectrum(cls, spectrum: Sequence[float], generator: torch.Generator) -> Self:
        """Build A = R diag(k) Rᵀ with a rotation R drawn uniformly.

        Args:
            spectrum: k_i > 0, the eigenvalues of A.
            generator: source of the rotation; a CPU generator.
        """
        k = [positive(value, "spectrum", "CorrelatedGaussian.from_spectrum") for value in spectrum]
        require(len(k) > 0, "spectrum", "CorrelatedGaussian.from_spectrum", "not empty", spectrum)
        q, r = torch.linalg.qr(standard_normal(len(k), len(k), generator).cpu())
        rotation = q * torch.sign(r.diagonal())  # the sign makes the law uniform
        matrix = (rotation * rotation.new_tensor(k)) @ rotation.T
        return cls(tuple(tuple(row) for row in ((matrix + matrix.T) / 2).tolist()))

    @property
    def num_params(self) -> int:
        return len(self.precision)

    @property
    def covariance(self) -> Tensor:
        """A⁻¹, the covariance at T = 1, float64, shape (d, d)."""
        return torch.cholesky_inverse(torch.linalg.cholesky(self._matrix))

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        f = -(x @ self._matrix.to(x))
        return -0.5 * (f * x).sum(1), f

    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        collective = x.sum(1).pow(2) / self.num_params
        return {"q": x.mean(1), "q^2": x.pow(2).mean(1), "(sum q)^2 / d": collective}

    def _start(self) -> Sequence[float]:
        return [math.sqrt(variance) for variance in self.covariance.diagonal().tolist()]

    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        xi = standard_normal(num_walkers, self.num_params, generator)
        root = torch.linalg.cholesky(self._matrix).to(xi)  # A = L Lᵀ, so L⁻ᵀ ξ ~ N(0, A⁻¹)
        return math.sqrt(temperature) * torch.linalg.solve_triangular(root.T, xi.T, upper=True).T

    def _expect(self, temperature: float) -> dict[str, float]:
        d, covariance = self.num_params, self.covariance
        return {
            "energy": d * temperature / 2,
            "virial": temperature,
            "q": 0.0,
            "q^2": temperature * float(covariance.trace()) / d,
            "(sum q)^2 / d": temperature * float(covariance.sum()) / d,
        }
