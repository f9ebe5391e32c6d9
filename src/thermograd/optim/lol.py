"""LOL: Langevin dynamics on the hidden layers, its overdamped limit on the output layer.

    hidden   BAOAB with friction γ and temperature T₁
    output   BAOAB with infinite friction and temperature T₂, usually 0

At T₂ = 0 the output part is gradient descent with step ½h².
"""

import math

import torch

from .. import arrangements
from ..integrators import Integrator
from ..noise import NoiseSource
from ..partitions import Partition
from ._adapter import DynamicsOptimizer, OnNonfinite
from ._groups import ModelOrGroups, two_parts

__all__ = ["LOL"]

_SOURCE = arrangements.LOL()


class LOL(DynamicsOptimizer):
    """Langevin dynamics in layers, the output layer at infinite friction.

    Args:
        params: a model, of which the last layer is the output part and all else the hidden part;
            or any number of groups, of which those with "friction": math.inf are overdamped.
        lr: h ≥ 0, the step size.
        friction: γ ≥ 0 of the hidden part, per unit time.
        temperature: T₁ ≥ 0 of the hidden part, in units of the loss.
        output_temperature: T₂ ≥ 0 of a model's output part.
        partition: two parts of the model, hidden and output in this order, if not by the last
            layer.
        word: method of all parts.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Leimkuhler, Matthews and Vlaar (2019), doi:10.3934/fods.2019019.
        Vlaar (2022), thesis, University of Edinburgh, eq. (3.26).
    """

    def __init__(
        self,
        params: ModelOrGroups,
        lr: float,
        *,
        friction: float = _SOURCE.friction,
        temperature: float = _SOURCE.temperature,
        output_temperature: float = _SOURCE.output_temperature,
        partition: Partition | None = None,
        word: str | Integrator = _SOURCE.word,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        output = {"friction": math.inf, "temperature": output_temperature}
        groups = two_parts(params, partition, output, "LOL")
        defaults = {
            "lr": lr,
            "friction": friction,
            "temperature": temperature,
            "word": word,
            "mass": 1.0,
            "momentum": None,
        }
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )
