"""SGLD as a drop-in optimizer.

    q ← q − (h/m) ∇U(q) + √(2Th/m) ξ

`lr` is h. For the decreasing steps of the paper use a torch scheduler, for instance
`LambdaLR(opt, lambda t: (1 + t / b) ** -c)` with ½ < c ≤ 1.
"""

import torch

from ..noise import NoiseSource
from ._adapter import DynamicsOptimizer, OnNonfinite, ParamsT

__all__ = ["SGLD"]


class SGLD(DynamicsOptimizer):
    """Stochastic gradient Langevin dynamics: gradient steps plus √(2Th) noise; no state.

    Args:
        params: parameters, named parameters or groups.
        lr: h ≥ 0, the step size: SGD's learning rate.
        temperature: T ≥ 0, in units of the loss.
        noise: "gaussian", "three_point" or a noise source.
        mass: m > 0.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Welling and Teh (2011), eq. (4), whose ε is 2h.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        temperature: float,
        noise: str | NoiseSource = "gaussian",
        mass: float = 1.0,
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "friction": 0.0,
            "temperature": temperature,
            "word": "sgld",
            "mass": mass,
            "momentum": None,
        }
        super().__init__(
            params, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )
