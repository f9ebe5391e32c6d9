"""A symmetric matrix that is known by what it does to a vector: the base of all curvatures."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator
from torch import Tensor

from ..._checks import require

__all__ = ["SymmetricOperator"]


class SymmetricOperator:
    """v ↦ A v for a symmetric matrix A of shape (d, d) that is never formed.

    Args:
        apply: returns A v, shape (d,), for v of shape (d,).
        like: a vector with the size, dtype and device of v.
        num_data: examples that A is an average over.
        name: of the matrix.

    Attributes:
        num_params: d.
        num_data: N.
        num_products: how many products were computed so far.
        name: of the matrix.
    """

    def __init__(
        self, apply: Callable[[Tensor], Tensor], like: Tensor, num_data: int, name: str
    ) -> None:
        self._apply = apply
        self._like = like
        self.num_params = len(like)
        self.num_data = num_data
        self.num_products = 0
        self.name = name

    def __matmul__(self, v: Tensor) -> Tensor:
        """Return A v, or A V for the columns of V, shape (d, K)."""
        ok = v.dim() in {1, 2} and len(v) == self.num_params
        require(ok, "v", self.name, f"of shape ({self.num_params},) or with columns", v.shape)
        v = v.to(self._like)
        if v.dim() == 2:
            return torch.stack([self @ column for column in v.T], 1)
        self.num_products += 1
        return self._apply(v)

    def draw(self, generator: torch.Generator) -> Tensor:
        """Return a vector of independent signs, whose second moment is the identity."""
        signs = torch.empty(self.num_params, dtype=self._like.dtype, device=generator.device)
        signs.bernoulli_(0.5, generator=generator)
        return signs.mul_(2).sub_(1).to(self._like.device)

    def to_scipy(self) -> LinearOperator:
        """Return the matrix as SciPy's eigensolvers take it."""

        def matvec(v: NDArray[np.generic]) -> NDArray[np.generic]:
            return (self @ torch.from_numpy(np.array(v).reshape(-1))).cpu().numpy()

        kind = np.dtype(str(self._like.dtype).removeprefix("torch."))
        shape = (self.num_params, self.num_params)
        return LinearOperator(shape, matvec=matvec, rmatvec=matvec, dtype=kind)  # pyright: ignore[reportCallIssue]

    @classmethod
    def from_matrix(cls, matrix: Tensor, name: str = "matrix") -> "SymmetricOperator":
        """Return a matrix that is there as an operator."""
        ok = matrix.dim() == 2 and torch.allclose(matrix, matrix.T)
        require(ok, "matrix", "SymmetricOperator", "symmetric", tuple(matrix.shape))
        return cls(lambda v: matrix @ v, matrix[0], 1, name)
