"""Adam: a step along the mean gradient, over the root of its mean square.

One step, in the order it runs:

    t ← t + 1
    m ← β₁ m + (1 − β₁) ∇U(q)
    v ← β₂ v + (1 − β₂) ∇U(q)²
    q ← q − h m̂/(√v̂ + ε),   m̂ = m/(1 − β₁ᵗ),   v̂ = v/(1 − β₂ᵗ)

with β₁ = 0.9, β₂ = 0.999 and ε = 1e-8 as `torch.optim.Adam` has them, which it equals without
weight decay. It samples nothing: it is here as a baseline, at whatever temperature. Each walker
counts its own steps t. The mass plays no part.

References:
    Kingma and Ba (2015), arXiv:1412.6980.
"""

import math
from dataclasses import dataclass

import torch

from .._checks import positive, require
from .._foreach import add_, decay_add_
from ..claims import Claims
from ..state import Env, Part
from ._base import Update


@dataclass(frozen=True, slots=True)
class _Adam:
    beta1: float
    beta2: float
    eps: float

    def __call__(self, part: Part, h: float, env: Env) -> None:
        f, scale = part.force.tensors, part.force.scale
        mean, square, count = part.aux["mean"], part.aux["square"], part.scalars["steps"]
        count.add_(1.0)
        decay_add_(mean, f, self.beta1, -scale * (1.0 - self.beta1))
        decay_add_(square, [x * x for x in f], self.beta2, scale * scale * (1.0 - self.beta2))
        rate = h / _seen(self.beta1, count)
        root = _seen(self.beta2, count).sqrt()
        moves = [
            m * rate.view(_beside(m, rate)) / (v.sqrt() / root.view(_beside(v, root)) + self.eps)
            for m, v in zip(mean, square, strict=True)
        ]
        add_(part.q, moves, -1.0)


def _seen(beta: float, count: torch.Tensor) -> torch.Tensor:
    """Return 1 − βᵗ, which loses no digits for β near 1."""
    return -torch.expm1(count * (math.log(beta) if beta > 0.0 else -math.inf))


def _beside(x: torch.Tensor, factor: torch.Tensor) -> list[int]:
    """Return the shape in which a factor for each walker stands beside a tensor."""
    return [] if factor.numel() == 1 else [-1, *[1] * (x.dim() - 1)]


def adam(beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8) -> Update:
    """Make the method with these decays, in [0, 1), and ε > 0."""
    for name, value in (("beta1", beta1), ("beta2", beta2)):
        require(0.0 <= value < 1.0, name, "adam", "in [0, 1)", value)
    positive(eps, "eps", "adam")
    return Update(
        _Adam(beta1, beta2, eps),
        claims=Claims(),
        auxiliaries=("mean", "square"),
        scalars=("steps",),
        is_elementwise=False,  # the count must rise once a step, not once a tile
    )


MAKE = adam
INTEGRATOR = adam()
