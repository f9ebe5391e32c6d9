"""Langevin dynamics as a drop-in optimizer: any word of A, B and O, one gradient a step.

For `loss = U` and with the default word BAOAB, a call finishes the last step and begins the next:

    B   p ← p − ½h ∇U(q)          the second half of the last step's kick
    B   p ← p − ½h ∇U(q)          the first half of this step's
    A   q ← q + ½h p/m
    O   p ← c p + √(mT(1 − c²)) ξ,   c = exp(−γh)
    A   q ← q + ½h p/m

`lr` is the step size h, not the learning rate of SGD: see `from_sgd`. The temperature is measured
in units of the loss that is passed, usually a batch mean.
"""

import torch

from ..integrators import Integrator
from ..noise import NoiseSource
from ._adapter import DynamicsOptimizer, OnNonfinite, ParamsT

__all__ = ["Langevin"]


class Langevin(DynamicsOptimizer):
    """Langevin dynamics with any splitting; BAOAB unless told otherwise.

    Memory: one momentum per parameter, half of Adam's state. Groups may have their own `lr`,
    `friction`, `temperature`, `mass`, `momentum` and `word`.

    Args:
        params: parameters, named parameters or groups.
        lr: h ≥ 0, the step size.
        friction: γ ≥ 0, per unit time; may be `math.inf`.
        temperature: T ≥ 0, in units of the loss.
        word: letters from the alphabet, a method's name, or an integrator with one gradient a step.
        noise: "gaussian", "three_point" (cheaper, same weak order 2) or a noise source.
        mass: m > 0.
        momentum: if given, each step's decay exp(−γh) in place of the friction, in [0, 1);
            schedulers that cycle momentum set it.
        generator: stream of random numbers, on the parameters' device. If none is given, one is
            seeded from the state of torch's global generator, which is read and not moved. Ranks
            of a DistributedDataParallel job must start theirs at the same seed.
        on_nonfinite: "raise" (on the CPU, if not given), "skip" the step, or "ignore" (on an
            accelerator, if not given, so that no step waits for the host).

    Examples:
        >>> import torch
        >>> from thermograd.noise import seeded
        >>> from thermograd.optim import Langevin
        >>> q = torch.nn.Parameter(torch.tensor([2.0]))
        >>> opt = Langevin([q], lr=0.1, friction=5.0, temperature=0.0, generator=seeded(0))
        >>> for _ in range(300):
        ...     opt.zero_grad()
        ...     (3.0 * q**2).sum().backward()
        ...     opt.step()
        >>> bool(q.abs() < 1e-5)
        True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        friction: float,
        temperature: float,
        word: str | Integrator = "BAOAB",
        noise: str | NoiseSource = "gaussian",
        mass: float = 1.0,
        momentum: float | None = None,
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "friction": friction,
            "temperature": temperature,
            "word": word,
            "mass": mass,
            "momentum": momentum,
        }
        super().__init__(
            params, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )
