"""What is done with the gradient of a smoothed objective: a step of SGD or of Adam.

    sgd     v ← μ v + d;  x ← x − η (d + μ v)                    Nesterov's, as torch writes it
    adam    m ← β₁ m + (1 − β₁) d;  s ← β₂ s + (1 − β₂) d²
            x ← x − η (m/(1 − β₁ᵗ)) / (√(s/(1 − β₂ᵗ)) + ε)

References:
    Nesterov (1983), Soviet Mathematics Doklady 27, 372-376.
    Kingma and Ba (2015), arXiv:1412.6980, Algorithm 1.
"""

import math
from collections.abc import Sequence

from torch import Tensor

from .._foreach import add_, addcdiv_, addcmul_, added, decay_add_, lerp_, roots

__all__ = ["adam_", "sgd_", "toward_"]


def sgd_(
    x: Sequence[Tensor], d: Sequence[Tensor], v: Sequence[Tensor], lr: float, momentum: float
) -> None:
    """Take a step against d; `v` is read only if there is momentum."""
    if momentum:
        decay_add_(v, d, momentum, 1.0)
        d = added(d, v, momentum)
    add_(x, d, -lr)


def toward_(x: Sequence[Tensor], z: Sequence[Tensor], lr: float) -> None:
    """Take the step x ← x − η (x − z), which at η = 1 is x ← z, bit for bit."""
    lerp_(x, z, lr)


def adam_(
    x: Sequence[Tensor],
    d: Sequence[Tensor],
    m: Sequence[Tensor],
    s: Sequence[Tensor],
    *,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    step: int,
) -> None:
    """Take Adam's step number `step`, counted from 1."""
    first, second = betas
    lerp_(m, d, 1.0 - first)
    decay_add_(s, d, second, 0.0)
    addcmul_(s, d, d, 1.0 - second)
    below = roots(s, eps, 1.0 / math.sqrt(1.0 - second**step))
    addcdiv_(x, m, below, -lr / (1.0 - first**step))
