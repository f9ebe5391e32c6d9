"""c-CoLod: overdamped Langevin dynamics with every chosen weight held in [−r, r].

With a slack variable ξ for each weight, and R, R′ ~ N(0, 1),

    θ̄ = θ − h ∂U/∂θ + √(2hT) R,   ξ̄ = ξ + √(2hT) R′
    (θ, ξ) ← r (θ̄, ξ̄)/|(θ̄, ξ̄)|

The source prints the angle as arctan(ξ̄/θ̄), which must be the angle of the point (θ̄, ξ̄).
"""

from collections.abc import Mapping

import torch
from torch import nn

from ..geometry import Sphere, Where
from ..noise import NoiseSource
from ._adapter import DynamicsOptimizer, OnNonfinite
from ._groups import bounded, constrained

__all__ = ["CColod"]


class CColod(DynamicsOptimizer):
    """Overdamped Langevin dynamics on circles; gradient descent at T = 0.

    Args:
        model: the model.
        radius: r > 0, the bound of every weight; or bounds by name, pattern or type of layer.
        lr: h ≥ 0, the step size: SGD's learning rate.
        temperature: T ≥ 0, in units of the loss.
        strict: whether a start off the manifold is refused, rather than projected.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, eq. (4.47).
    """

    def __init__(
        self,
        model: nn.Module,
        radius: float | Mapping[Where, float],
        lr: float,
        *,
        temperature: float = 0.0,
        strict: bool = False,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        rules = bounded(radius, lambda r: Sphere(r, slack=True, per="weight"))
        groups = constrained(model, rules, strict=strict, owner="CColod")
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
