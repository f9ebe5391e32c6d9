"""Trivialised SGD: SGD in a random field that is annealed away.

At step i, with h ~ ν N(0, I) drawn once,

    g ← ∇U(q) + √2 exp(−i/(2τ₀)) h
    q ← one step of SGD, with Nesterov's momentum, or of another method, with g

ν = J √(p(p − 2)). The baseline `is_resampled` draws h afresh at every step.
"""

import torch

from .._checks import non_negative, positive
from .._errors import ParameterError
from ..integrators import CutIntegrator, Integrator
from ..noise import NoiseSource
from ..objectives.magnetic_field import InField, critical_field, field_strength
from ._adapter import OnNonfinite, ParamsT
from ._rounds import inner_settings
from ._wrapped import WrappedOptimizer

__all__ = ["TrivializedSGD"]


class TrivializedSGD(WrappedOptimizer):
    """SGD with an annealed random magnetic field.

    Args:
        params: parameters, named parameters or groups.
        lr: h ≥ 0, the learning rate.
        decay: τ₀ > 0, in steps.
        coupling: J > 0; with `layers` it gives ν.
        layers: p ≥ 3, the number of layers.
        field: ν ≥ 0 itself, in place of `coupling` and `layers`.
        momentum: of "nesterov", in [0, 1).
        word: "nesterov", a word, a method's name, or an integrator with one gradient a step.
        temperature: T ≥ 0, of methods with noise.
        friction: γ ≥ 0, of words with a bath.
        is_resampled: whether the field is drawn at every step.
        noise: "gaussian", "three_point" or a noise source; the field is drawn from it too.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Chaudhari and Soatto (2015), arXiv:1511.06485, Algorithm 1; thesis, section 2.3.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        decay: float,
        coupling: float | None = None,
        layers: int | None = None,
        field: float | None = None,
        momentum: float = 0.9,
        word: str | Integrator = "nesterov",
        temperature: float = 0.0,
        friction: float = 0.0,
        is_resampled: bool = False,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        owner = "TrivializedSGD"
        if field is not None and coupling is None and layers is None:
            self.field = non_negative(field, "field", owner)
        elif field is None and coupling is not None and layers is not None:
            self.field = critical_field(coupling, layers)
        else:
            raise ParameterError(f"{owner} takes a field, or a coupling and the number of layers")
        self.decay = positive(decay, "decay", owner)
        self.is_resampled = is_resampled
        defaults = {
            "lr": lr,
            "momentum": None,
            "word": inner_settings(word, momentum),
            "temperature": temperature,
            "friction": friction,
            "mass": 1.0,
        }
        super().__init__(
            params, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )

    def _wrap(self, method: CutIntegrator) -> CutIntegrator:
        strength = field_strength(self._clock["steps"], self.decay)
        return InField(method, self.field, strength, self.is_resampled)

    def _tick(self) -> None:
        self._wrap_all()

    def __getstate__(self) -> dict[str, object]:
        own = {"field": self.field, "decay": self.decay, "is_resampled": self.is_resampled}
        return {**super().__getstate__(), **own}
