"""o-CoLud: underdamped Langevin dynamics with orthogonal weight matrices.

A step of the default word, with Π P = P − ½ Q (QᵀP + PᵀQ):

    O   P ← Π (c P + √(T(1 − c²)) R),   c = exp(−γh)
    B   P ← Π (P − h ∇U)
    A   Q̄ = Q + h P;   Q ← Q̄ − QΛ, Λ symmetric such that QᵀQ = I;   P ← Π (P − Q_old Λ/h)

An orthogonal network with the settings of an SGD with momentum is
`OColud(model, **from_sgd(lr=0.1, momentum=0.9))`.
"""

import torch
from torch import nn

from ..geometry import Where
from ..integrators import Integrator
from ..noise import NoiseSource
from ._adapter import DynamicsOptimizer, OnNonfinite
from ._groups import constrained, orthogonal

__all__ = ["OColud"]


class OColud(DynamicsOptimizer):
    """Underdamped Langevin dynamics on orthogonal matrices; SGD with momentum at T = 0.

    Args:
        model: the model.
        where: names, patterns or types of layers; every matrix and convolution if none is given.
        lr: h ≥ 0, the step size; `from_sgd` finds it and the friction from SGD's settings.
        friction: γ ≥ 0, per unit time.
        temperature: T ≥ 0, in units of the loss.
        word: order of the maps; OBA is SGD with momentum on the manifold.
        strict: whether a start off the manifold is refused, rather than projected.
        initial_momenta: "zero", "tangent_gaussian" (at T) or "gradient" (downhill).
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, Algorithm 4.2.
    """

    def __init__(
        self,
        model: nn.Module,
        *where: Where,
        lr: float,
        friction: float,
        temperature: float = 0.0,
        word: str | Integrator = "OBA",
        strict: bool = False,
        initial_momenta: str = "zero",
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        rules = orthogonal(model, where, strict=strict)
        groups = constrained(model, rules, strict=strict, owner="OColud")
        defaults = {
            "lr": lr,
            "friction": friction,
            "temperature": temperature,
            "word": word,
            "mass": 1.0,
            "momentum": None,
            "initial_momenta": initial_momenta,
        }
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )
