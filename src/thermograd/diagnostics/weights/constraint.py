"""Residual of a constraint: how far positions are from a manifold, in the manifold's own measure.

Every geometry says what it measures under `residual`, relative, so 1e-16 is rounding and 1 is far.
"""

import torch
from torch import Tensor

from ..._checks import require
from ..._errors import NonFiniteError
from ...geometry import Manifold
from ..estimate import Array, Estimate

__all__ = ["constraint_residual"]


def constraint_residual(geometry: Manifold, q: list[Tensor]) -> Estimate[Array]:
    """Return the residual of every walker, shape (W,).

    Args:
        geometry: a manifold of `thermograd.geometry`.
        q: positions, each (W, ...).
    """
    require(bool(q), "q", "constraint_residual", "one tensor (W, ...) or more", q)
    geometry.check(q, "constraint_residual")
    with torch.no_grad():
        off = geometry.distance([tensor.detach() for tensor in q]).double().cpu()
    if not bool(torch.isfinite(off).all()):
        raise NonFiniteError("the positions hold NaN or infinity")
    return Estimate(off.numpy(), 0 * off.numpy(), sum(t[0].numel() for t in q), "1")
