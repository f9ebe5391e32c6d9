"""Extreme eigenvalues of a curvature, with their vectors, by Lanczos (SciPy's ARPACK).

The uncertainty of an eigenvalue is the residual |A v − λ v| of its pair: some eigenvalue of A lies
within it, because A is symmetric.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from torch import Tensor

from ..._checks import is_int, one_of, require
from ..._errors import ConvergenceError
from .._progress import Meter
from ..estimate import Array, Estimate
from .operator import SymmetricOperator

__all__ = ["Eigenpairs", "extreme_eigenpairs"]


@dataclass(frozen=True, slots=True, eq=False)
class Eigenpairs:
    """Some eigenvalues of a symmetric matrix, and the vectors.

    Attributes:
        values: largest first; n is the number of examples behind the matrix.
        vectors: as columns, shape (d, K), of length 1.
        num_products: matrix-vector products they took.
    """

    values: Estimate[Array]
    vectors: Tensor
    num_products: int


def extreme_eigenpairs(
    operator: SymmetricOperator,
    num: int,
    which: Literal["top", "bottom", "both"] = "top",
    *,
    generator: torch.Generator,
    tolerance: float = 1e-6,
) -> Eigenpairs:
    """Return the top eigenpairs of a curvature, the bottom ones, or some from each end.

    Args:
        operator: the matrix.
        num: K, from 1 to d − 1.
        which: by signed value: "top", "bottom", or "both" (half from each end).
        generator: draws the start vector.
        tolerance: relative accuracy at which the iteration stops.

    Raises:
        ConvergenceError: if it is not reached.
    """
    one_of(which, ("top", "bottom", "both"), "which", "extreme_eigenpairs")
    d = operator.num_params
    ok = is_int(num) and 0 < num < d
    require(ok, "num", "extreme_eigenpairs", f"from 1 to {d - 1}, one below the size", num)
    kind = {"top": "LA", "bottom": "SA", "both": "BE"}[which]
    before = operator.num_products
    start = operator.draw(generator).cpu().numpy()
    with Meter(f"{num} eigenpairs of the {operator.name}") as meter:
        watched = SymmetricOperator(
            _counted(operator, meter), operator.draw(generator), operator.num_data, operator.name
        )
        try:
            found = eigsh(watched.to_scipy(), k=num, which=kind, v0=start, tol=tolerance)  # pyright: ignore[reportArgumentType]
        except ArpackNoConvergence as error:
            got = len(error.eigenvalues)
            raise ConvergenceError(
                f"{got} of {num} eigenpairs were found to {tolerance:g}; ask for fewer, or for a "
                "larger tolerance"
            ) from error
    values, columns = np.asarray(found[0], np.float64), np.asarray(found[1])
    order = np.argsort(values)[::-1]
    vectors = torch.from_numpy(np.ascontiguousarray(columns[:, order]))
    products = operator.num_products - before
    residual = operator @ vectors
    gap = residual.cpu().double() - vectors.double() * torch.from_numpy(values[order].copy())
    error = gap.norm(dim=0).numpy()
    unit = "loss/parameter²"
    return Eigenpairs(Estimate(values[order], error, operator.num_data, unit), vectors, products)


def _counted(operator: SymmetricOperator, meter: Meter) -> Callable[[Tensor], Tensor]:
    def apply(v: Tensor) -> Tensor:
        meter.tick()
        return operator @ v

    return apply
