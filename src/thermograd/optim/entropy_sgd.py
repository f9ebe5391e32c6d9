"""Entropy-SGD: descent on the local entropy of the loss, whose gradient an inner loop estimates.

A round is L calls, each with one gradient, from y = z = x:

    y ← one step of the inner method on U(y) + |y − x|²/(2γ)
    z ← α z + (1 − α) y

and after the last of them, with Nesterov's momentum μ if there is any,

    x ← x − η (x − z)

`lr` is η and `inner_lr` the inner step size h. η = 1 without momentum is x ← z. The gradient of the
local entropy is (x − z)/γ; as in the paper the step is scaled by γ, so that scoping does not
change its length.
"""

import torch

from ..integrators import Integrator
from ..noise import NoiseSource
from ..schedules import Schedule
from ._adapter import OnNonfinite, ParamsT
from ._rounds import Momenta, RoundOptimizer, inner_settings

__all__ = ["EntropyAdam", "EntropySGD"]


class EntropySGD(RoundOptimizer):
    """Entropy-SGD, with SGLD on Nesterov's momentum or any method of the library inside.

    Groups may have their own `lr`, `inner_lr`, `momentum`, `word`, `friction`, `temperature` and
    `mass`. Between two calls the parameters are those of the inner loop, y; `sync` shows x.

    Args:
        params: parameters, named parameters or groups.
        lr: η ≥ 0, of the outer step; what schedulers change.
        inner_lr: h ≥ 0, of the inner method.
        scope: γ > 0, `math.inf`, or a schedule of it by rounds, such as `schedules.Geometric`.
        inner_steps: L ≥ 1, gradients a round.
        averaging: α in [0, 1).
        momentum: μ of the outer step.
        inner: "nesterov", a word, a method's name, or an integrator with one gradient a step.
        inner_momentum: of "nesterov".
        inner_momenta: "fresh" at the start of each round, as published, or "keep".
        temperature: T ≥ 0 of the inner method, in units of the loss; noise √(2hT) ξ.
        friction: γ of words with a bath.
        mass: m > 0.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Chaudhari et al. (2017), arXiv:1611.01838, Algorithm 1; thesis, Algorithm 2 and (5.8).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1.0,
        *,
        inner_lr: float,
        scope: float | Schedule,
        inner_steps: int = 20,
        averaging: float = 0.25,
        momentum: float = 0.0,
        inner: str | Integrator = "nesterov",
        inner_momentum: float = 0.9,
        inner_momenta: Momenta = "fresh",
        temperature: float = 0.0,
        friction: float = 0.0,
        mass: float = 1.0,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "inner_lr": inner_lr,
            "momentum": momentum,
            "word": inner_settings(inner, inner_momentum),
            "temperature": temperature,
            "friction": friction,
            "mass": mass,
        }
        super().__init__(
            params,
            defaults,
            inner_steps=inner_steps,
            scope=scope,
            averaging=averaging,
            inner_momenta=inner_momenta,
            noise=noise,
            generator=generator,
            on_nonfinite=on_nonfinite,
        )


class EntropyAdam(RoundOptimizer):
    """Adam on the local entropy: as `EntropySGD`, with x − z handed to Adam.

    Args:
        params: parameters, named parameters or groups.
        lr: η ≥ 0, Adam's; what schedulers change.
        inner_lr: h ≥ 0, of the inner method.
        scope: γ > 0, `math.inf`, or a schedule of it by rounds.
        inner_steps: L ≥ 1, gradients a round.
        averaging: α in [0, 1).
        betas: Adam's; the source takes β₁ = 0.5.
        eps: Adam's.
        inner: as for `EntropySGD`.
        inner_momentum: as for `EntropySGD`.
        temperature: as for `EntropySGD`.
        friction: as for `EntropySGD`.
        noise: as for `EntropySGD`.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Chaudhari (2018), thesis, section 3.3.4; Kingma and Ba (2015), arXiv:1412.6980.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 0.001,
        *,
        inner_lr: float,
        scope: float | Schedule,
        inner_steps: int = 5,
        averaging: float = 0.25,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        inner: str | Integrator = "nesterov",
        inner_momentum: float = 0.9,
        temperature: float = 0.0,
        friction: float = 0.0,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "inner_lr": inner_lr,
            "momentum": None,
            "word": inner_settings(inner, inner_momentum),
            "temperature": temperature,
            "friction": friction,
            "mass": 1.0,
        }
        super().__init__(
            params,
            defaults,
            inner_steps=inner_steps,
            scope=scope,
            averaging=averaging,
            outer="adam",
            betas=betas,
            eps=eps,
            noise=noise,
            generator=generator,
            on_nonfinite=on_nonfinite,
        )
