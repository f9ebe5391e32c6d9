"""c-CoLud: underdamped Langevin dynamics with every chosen weight held in [−r, r].

With θ = r sin(s/r), a step of the default word is

    O   p ← c p + √(T(1 − c²)) ξ,   c = exp(−γh)
    B   p ← p − h cos(s/r) ∂U/∂θ
    A   s ← s + h p

which is the source's rotation of a weight and its slack, written along the arc: its two momenta are
p cos(s/r) and −p sin(s/r).
"""

from collections.abc import Mapping

import torch
from torch import nn

from ..geometry import Circle, Where
from ..integrators import Integrator
from ..noise import NoiseSource
from ._adapter import DynamicsOptimizer, OnNonfinite
from ._groups import bounded, constrained

__all__ = ["CColud"]


class CColud(DynamicsOptimizer):
    """Underdamped Langevin dynamics on circles; SGD with momentum at T = 0.

    Args:
        model: the model.
        radius: r > 0, the bound of every weight; or bounds by name, pattern or type of layer.
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
        Vlaar (2022), thesis, University of Edinburgh, section 4.7.2.3.
    """

    def __init__(
        self,
        model: nn.Module,
        radius: float | Mapping[Where, float],
        lr: float,
        *,
        friction: float,
        temperature: float = 0.0,
        word: str | Integrator = "OBA",
        strict: bool = False,
        initial_momenta: str = "zero",
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        rules = bounded(radius, Circle)
        groups = constrained(model, rules, strict=strict, owner="CColud")
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
