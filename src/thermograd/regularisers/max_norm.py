"""Max-norm: after a step, shrink the units whose incoming weights have grown too large."""

import torch
from torch import nn

from .._checks import positive
from ..geometry import Where
from ._matrices import weights_of

__all__ = ["max_norm_"]


def max_norm_(model: nn.Module, radius: float, *where: Where) -> None:
    """Bring the incoming weights of every unit back into the ball of radius r, in place.

        w ← w min(1, r/|w|)

    for each row w of a matrix, and each filter of a convolution. Call it after `opt.step()`.

    Args:
        model: whose weights are meant.
        radius: r > 0.
        where: names or patterns of weights, or types of layers; all of them if none is given.

    References:
        Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov (2014), J. Mach. Learn. Res. 15.
    """
    positive(radius, "radius", "max_norm_")
    with torch.no_grad():
        for weight in weights_of(model, where, "max_norm_"):
            norm = weight.flatten(1).norm(dim=1).view(-1, *[1] * (weight.dim() - 1))
            weight.mul_((radius / norm).clamp(max=1.0))
