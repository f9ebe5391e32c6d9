"""AdLaLa: adaptive Langevin dynamics on the hidden layers, Langevin dynamics on the output layer.

    hidden   dp₁ = f₁ dt − c ξ p₁ dt + σ dW₁,   dξ = ε (|p₁|² − N₁T₁) dt,   dq₁ = p₁ dt
    output   dp₂ = f₂ dt − γ p₂ dt + √(2γT₂) dW₂,                          dq₂ = p₂ dt

The hidden part runs BAEFEAB, the output part BAOAB; both need the gradient at the same point. The
source runs BACDEDCAB on the hidden part, which draws noise twice a step. It prints the friction
there as εξ (coupling "scaled", the default here); its authors' code has ξ ("plain").
"""

import torch

from .. import arrangements
from .._checks import is_real
from ..integrators import Integrator
from ..noise import NoiseSource
from ..partitions import Partition
from ..thermostat import Coupling
from ._adapter import DynamicsOptimizer, Group, OnNonfinite
from ._bad_input import number, thermostat_of
from ._groups import ModelOrGroups, thermostat_each, two_parts

__all__ = ["AdLaLa"]

_LOW = 0.1
_SOURCE = arrangements.AdLaLa()


class AdLaLa(DynamicsOptimizer):
    """Layer-wise hybrid of adaptive Langevin and Langevin dynamics.

    The defaults are the source's rules of thumb for a perceptron with one hidden layer, but for
    two, which make a residual network, a transformer and an LSTM train as well. `lr` is 0.1, where
    the source has 0.15 for its spirals and 0.05 to 0.25 elsewhere. ξ starts at its mean
    ξ̄ = σ²/(2cT), where the driving noise by itself keeps the hidden part at T. A start far below is
    nearly without friction: the falling loss becomes motion, which carries a stiff network to where
    the step is too large; the thermostat takes the instability for heat and ξ runs up. If that
    happens, make `lr` smaller. The source recommends temperatures from 1e-6 to 1e-4, ε from 0.05 to
    0.1, σ from 1e-4 to 1e-2 and γ from 0.05 to 5; a large hidden part asks for a smaller ε, see
    `AdaptiveLangevin`.

    Args:
        params: a model, of which the last layer is the output part and all else the hidden part;
            or any number of groups. A group runs BAEFEAB unless it names another "word"; one
            with "word": "BAOAB" is a Langevin part. Groups may have any setting of their own.
        lr: h ≥ 0, the step size.
        temperature: T₁ ≥ 0 of the hidden part, in units of the loss.
        output_temperature: T₂ ≥ 0 of a model's output part.
        friction: γ ≥ 0 of the Langevin parts, per unit time.
        driving_noise: σ ≥ 0.
        feedback: ε > 0.
        coupling: whether the friction of the hidden part is εξ ("scaled") or ξ ("plain").
        initial_xi: ξ before the first step; None is ξ̄, or 0.1 where σ or T is 0. A small
            perceptron trains faster from 0.1.
        thermostat_per: what has a ξ of its own: "part", "layer" or "tensor".
        partition: two parts of the model, hidden and output in this order, if not by the last
            layer.
        word: method of the adaptive parts.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Leimkuhler, Matthews and Vlaar (2019), doi:10.3934/fods.2019019.
        Vlaar (2022), thesis, University of Edinburgh, eq. (3.31).
    """

    def __init__(
        self,
        params: ModelOrGroups,
        lr: float = 0.1,
        *,
        temperature: float = _SOURCE.temperature,
        output_temperature: float = _SOURCE.output_temperature,
        friction: float = _SOURCE.friction,
        driving_noise: float = _SOURCE.driving_noise,
        feedback: float = _SOURCE.feedback,
        coupling: Coupling = _SOURCE.coupling,
        initial_xi: float | None = _SOURCE.initial_xi,
        thermostat_per: str = _SOURCE.thermostat_per,
        partition: Partition | None = None,
        word: str | Integrator = _SOURCE.word,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        output = {"word": "BAOAB", "temperature": output_temperature}
        groups = two_parts(params, partition, output, "AdLaLa")
        defaults = {
            "lr": lr,
            "friction": friction,
            "temperature": temperature,
            "word": word,
            "mass": 1.0,
            "momentum": None,
            "feedback": feedback,
            "driving_noise": driving_noise,
            "coupling": coupling,
            "initial_xi": initial_xi,
        }
        groups = thermostat_each(groups, thermostat_per, word, "AdLaLa")
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )

    def add_param_group(self, param_group: Group) -> None:
        """Add a group; its ξ starts at the mean unless it says otherwise."""
        group = {**self.defaults, **param_group}
        super().add_param_group({**group, "initial_xi": _first_xi(group)})


def _first_xi(group: Group) -> float:
    """Return the ξ that a group starts with."""
    if group["initial_xi"] is not None:
        return group["initial_xi"]
    thermostat, temperature = thermostat_of({**group, "initial_xi": _LOW}), group["temperature"]
    is_warm = is_real(number(temperature)) and number(temperature) > 0
    if thermostat is None or thermostat.driving_noise == 0 or not is_warm:
        return _LOW
    return thermostat.mean_xi(number(temperature))
