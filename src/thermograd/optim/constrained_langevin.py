"""Langevin dynamics of weights on manifolds: bounded, normalised, orthogonal, or any g(q) = 0.

The words of `Langevin`, with the geometry's drift and projections:

    A   move along the manifold for a time h
    B   p ← Π(q) (p − h ∇U(q))
    O   p ← Π(q) (c p + √(mT(1 − c²)) ξ),   c = exp(−γh)

Π(q) projects on the tangent space at q. The law is exp(−U/T) times the surface measure. A method
without momenta, such as "euler_maruyama", moves freely and is projected back.
"""

import torch
from torch import nn

from ..integrators import Integrator
from ..noise import NoiseSource
from ._adapter import DynamicsOptimizer, OnNonfinite
from ._groups import Rules, constrained

__all__ = ["ConstrainedLangevin"]


class ConstrainedLangevin(DynamicsOptimizer):
    """Langevin dynamics with hard constraints on chosen weights; the rest is free.

    A start off the manifold is projected with a notice. The optimizer holds the slack variables:
    weights that are overwritten later by hand must be given a new optimizer.

    Args:
        model: the model.
        rules: a manifold for all weights; or manifolds by name, pattern or type of layer; or what
            `thermograd.geometry.constrain` returned.
        lr: h ≥ 0, the step size.
        friction: γ ≥ 0, per unit time; may be `math.inf`.
        temperature: T ≥ 0, in units of the loss.
        word: letters from the alphabet, a method's name, or an integrator with one gradient a step.
        strict: whether a start off the manifold is refused.
        initial_momenta: "zero", "tangent_gaussian" (at T) or "gradient" (downhill).
        noise: "gaussian", "three_point" or a noise source.
        mass: m > 0.
        momentum: if given, each step's decay exp(−γh) in place of the friction.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, eqs. (4.7), (4.12)-(4.14).

    Examples:
        >>> import torch
        >>> from thermograd.geometry import Circle
        >>> from thermograd.optim import ConstrainedLangevin
        >>> with torch.random.fork_rng():
        ...     model = torch.nn.Linear(2, 1)
        >>> opt = ConstrainedLangevin(model, Circle(0.9), 0.1, friction=1.0, temperature=0.0)
        >>> for _ in range(200):
        ...     opt.zero_grad()
        ...     (model.weight - 4.0).square().sum().backward()
        ...     opt.step()
        >>> bool(((model.weight - 0.9).abs() < 1e-4).all())
        True
    """

    def __init__(
        self,
        model: nn.Module,
        rules: Rules,
        lr: float,
        *,
        friction: float,
        temperature: float,
        word: str | Integrator = "BAOAB",
        strict: bool = False,
        initial_momenta: str = "zero",
        noise: str | NoiseSource = "gaussian",
        mass: float = 1.0,
        momentum: float | None = None,
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        groups = constrained(model, rules, strict=strict, owner=type(self).__name__)
        defaults = {
            "lr": lr,
            "friction": friction,
            "temperature": temperature,
            "word": word,
            "mass": mass,
            "momentum": momentum,
            "initial_momenta": initial_momenta,
        }
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )
