"""Harmonic potential with any spectrum: Gaussian law, independent coordinates.

U(q) = ½ Σ k_i q_i²,   f_i = −k_i q_i,   law q_i ~ N(0, T/k_i)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import positive, require
from .analytic import Analytic, standard_normal


@final
@dataclass(frozen=True, slots=True)
class Harmonic(Analytic):
    """Harmonic potential U = ½ Σ k_i q_i².

    Observables: `q`, `q^2`, `q^4`, each the mean over the coordinates.

    Attributes:
        spectrum: k_i > 0, the squared frequency of each coordinate at unit mass.
    """

    spectrum: tuple[float, ...]

    def __post_init__(self) -> None:
        require(len(self.spectrum) > 0, "spectrum", "Harmonic", "not empty", self.spectrum)
        checked = tuple(positive(k, "spectrum", "Harmonic") for k in self.spectrum)
        object.__setattr__(self, "spectrum", checked)

    @property
    def num_params(self) -> int:
        return len(self.spectrum)

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        f = -x.new_tensor(self.spectrum) * x
        return -0.5 * (f * x).sum(1), f

    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        return {"q": x.mean(1), "q^2": x.pow(2).mean(1), "q^4": x.pow(4).mean(1)}

    def _start(self) -> Sequence[float]:
        return [k**-0.5 for k in self.spectrum]

    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        xi = standard_normal(num_walkers, self.num_params, generator)
        return xi * torch.sqrt(temperature / xi.new_tensor(self.spectrum))

    def _expect(self, temperature: float) -> dict[str, float]:
        d = self.num_params
        return {
            "energy": d * temperature / 2,
            "virial": temperature,
            "q": 0.0,
            "q^2": sum(temperature / k for k in self.spectrum) / d,
            "q^4": sum(3 * (temperature / k) ** 2 for k in self.spectrum) / d,
        }
