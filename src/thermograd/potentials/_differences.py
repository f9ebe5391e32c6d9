"""Second derivatives of a potential by differences of its force."""

import torch
from torch import Tensor

from .._foreach import dot
from ..state import Params
from .base import Batch, Potential

__all__ = ["hessian_product"]


def hessian_product(
    potential: Potential, q: Params, direction: Params, batch: Batch = None
) -> Params:
    """Return H v for every walker by central differences of the force.

    Args:
        potential: U.
        q: positions, each (W, ...).
        direction: v, in the shapes of `q`.
        batch: of both evaluations.
    """
    sizes = dot(q, q).sqrt() / dot(direction, direction).sqrt().clamp_min(1e-30)
    share = 1e-2 if q[0].dtype is not torch.float64 else 1e-4
    eps = share * sizes.clamp_min(share)  # (W,)

    def beside(x: Tensor) -> Tensor:
        return eps.view(-1, *[1] * (x.dim() - 1))

    def force(sign: float) -> Params:
        moved = [x + sign * beside(x) * v for x, v in zip(q, direction, strict=True)]
        out = [torch.empty_like(x) for x in q]
        potential.force(moved, batch, out=out)
        return out

    ahead, behind = force(1.0), force(-1.0)
    return [(b - a) / (2 * beside(a)) for a, b in zip(ahead, behind, strict=True)]
