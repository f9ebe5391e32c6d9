"""SGD with momentum, written as what it is: OBA at zero temperature.

    O   p ← exp(−γh) p
    B   p ← p − h ∇U(q)
    A   q ← q + h p

With h = √lr and γ = −ln(momentum)/h this is torch's SGD(lr, momentum), to rounding.
"""

import math
from typing import TypedDict

import torch

from .._checks import positive, require
from ._adapter import DynamicsOptimizer, OnNonfinite, ParamsT

__all__ = ["SGDSettings", "UnderdampedSGD", "from_sgd"]


class SGDSettings(TypedDict):
    """Step size and friction of the dynamics behind an SGD with momentum."""

    lr: float
    friction: float


def from_sgd(*, lr: float, momentum: float) -> SGDSettings:
    """Return the h and γ at which OBA at T = 0 is SGD(lr, momentum).

    Args:
        lr: the learning rate of SGD, above 0.
        momentum: its momentum, in (0, 1).

    Returns:
        h = √lr as "lr" and γ = −ln(momentum)/h as "friction", ready for
        `UnderdampedSGD(params, **from_sgd(lr=0.1, momentum=0.9))` or `Langevin`.
    """
    h = math.sqrt(positive(lr, "lr", "from_sgd"))
    require(0 < momentum < 1, "momentum", "from_sgd", "in (0, 1)", momentum)
    return {"lr": h, "friction": -math.log(momentum) / h}


class UnderdampedSGD(DynamicsOptimizer):
    """OBA at T = 0: SGD with momentum in terms of a step size and a friction.

    Args:
        params: parameters, named parameters or groups.
        lr: h ≥ 0, the step size: the square root of SGD's learning rate.
        friction: γ ≥ 0, per unit time.
        mass: m > 0.
        momentum: if given, exp(−γh) in place of the friction; schedulers that cycle momentum
            set it.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, Algorithm 2.2, coefficients corrected.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        friction: float,
        mass: float = 1.0,
        momentum: float | None = None,
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "friction": friction,
            "temperature": 0.0,
            "word": "oba",
            "mass": mass,
            "momentum": momentum,
        }
        super().__init__(params, defaults, generator=generator, on_nonfinite=on_nonfinite)
