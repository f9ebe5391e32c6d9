"""Adaptive Langevin dynamics as a drop-in optimizer: the friction finds itself.

For `loss = U` and with the default word BAEFEAB, a call finishes the last step and begins the next:

    B   p ← p − ½h ∇U(q)          the second half of the last step's kick
    B   p ← p − ½h ∇U(q)          the first half of this step's
    A   q ← q + ½h p/m
    E   ξ ← ξ + ½h ε (|p|²/m − N T)
    F   p ← exp(−x) p + σ √(hm (1 − exp(−2x))/(2x)) ζ,   x = h c ξ
    E   ξ ← ξ + ½h ε (|p|²/m − N T)
    A   q ← q + ½h p/m

with N the number of parameters that move, and c = 1 ("plain") or ε ("scaled"). ξ stays on the
parameters' device; no step waits for it. The source runs BACDEDCAB, which draws noise twice a
step.
"""

import torch
from torch import nn

from ..integrators import Integrator
from ..noise import NoiseSource
from ..thermostat import Coupling
from ._adapter import DynamicsOptimizer, OnNonfinite, ParamsT
from ._groups import as_groups, thermostat_each

__all__ = ["AdaptiveLangevin"]


class AdaptiveLangevin(DynamicsOptimizer):
    """Langevin dynamics at temperature T whatever noise the gradients carry.

    The thermostat swings with the frequency √(2 c ε N T); times `lr` it must stay well below 2, so
    a large N asks for a small ε or a thermostat for each layer. Groups may have their own
    `temperature`, `feedback`, `driving_noise`, `coupling`, `mass`, `lr` and `word`; each group has
    a ξ of its own. Memory: one momentum per parameter.

    Args:
        params: a model, parameters, named parameters or groups.
        lr: h ≥ 0, the step size.
        temperature: T ≥ 0, in units of the loss.
        feedback: ε > 0, how strongly ξ answers to a wrong temperature.
        driving_noise: σ ≥ 0, the amplitude of the noise put in on purpose.
        coupling: whether the friction is ξ ("plain") or εξ ("scaled").
        initial_xi: ξ before the first step.
        thermostat_per: what has a ξ of its own: "part" (a group), "layer" or "tensor".
        word: letters, a method's name or an integrator.
        noise: "gaussian", "three_point" (cheaper, same weak order 2) or a noise source.
        mass: m > 0.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Jones and Leimkuhler (2011), doi:10.1063/1.3626941.
        Vlaar (2022), thesis, University of Edinburgh, eq. (3.23).
    """

    def __init__(
        self,
        params: ParamsT | nn.Module,
        lr: float,
        *,
        temperature: float,
        feedback: float,
        driving_noise: float,
        coupling: Coupling = "plain",
        initial_xi: float = 0.1,
        thermostat_per: str = "part",
        word: str | Integrator = "BAEFEAB",
        noise: str | NoiseSource = "gaussian",
        mass: float = 1.0,
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "friction": 0.0,
            "temperature": temperature,
            "word": word,
            "mass": mass,
            "momentum": None,
            "feedback": feedback,
            "driving_noise": driving_noise,
            "coupling": coupling,
            "initial_xi": initial_xi,
        }
        groups = thermostat_each(as_groups(params), thermostat_per, word, "AdaptiveLangevin")
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )
