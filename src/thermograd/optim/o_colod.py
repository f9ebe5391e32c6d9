"""o-CoLod: overdamped Langevin dynamics with orthogonal weight matrices.

Q̄ = Q − h ∇U + √(2hT) R
Q ← Q̄ − Q_old Λ,   Λ symmetric such that QᵀQ = I
"""

import torch
from torch import nn

from ..geometry import Where
from ..noise import NoiseSource
from ._adapter import DynamicsOptimizer, OnNonfinite
from ._groups import constrained, orthogonal

__all__ = ["OColod"]


class OColod(DynamicsOptimizer):
    """Overdamped Langevin dynamics on orthogonal matrices; gradient descent at T = 0.

    Args:
        model: the model.
        where: names, patterns or types of layers; every matrix and convolution if none is given.
        lr: h ≥ 0, the step size: SGD's learning rate.
        temperature: T ≥ 0, in units of the loss.
        strict: whether a start off the manifold is refused, rather than projected.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, Algorithm 4.1.
    """

    def __init__(
        self,
        model: nn.Module,
        *where: Where,
        lr: float,
        temperature: float = 0.0,
        strict: bool = False,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        rules = orthogonal(model, where, strict=strict)
        groups = constrained(model, rules, strict=strict, owner="OColod")
        defaults = {
            "lr": lr,
            "friction": 0.0,
            "temperature": temperature,
            "word": "euler_maruyama",
            "mass": 1.0,
            "momentum": None,
        }
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )
