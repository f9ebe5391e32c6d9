"""Neal's funnel: the scale of most coordinates is the exponential of the first one.

    U(v, x) = v²/(2s²) + ½ Σ x_i² e^{−v} + n v/2,   i = 1 … n
    f_v = −v/s² + ½ Σ x_i² e^{−v} − n/2,   f_i = −x_i e^{−v}

Law: v ~ N(n s²(T − 1)/2, T s²) and x_i | v ~ N(0, T e^v), for every T; at T = 1 this is
v ~ N(0, s²), x_i | v ~ N(0, e^v) of the source, there with s = 3 and n = 9.

References:
    Neal (2003), doi:10.1214/aos/1056562461, section 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import positive, positive_int, require
from .analytic import Analytic, standard_normal


@final
@dataclass(frozen=True, slots=True)
class Funnel(Analytic):
    """Neal's funnel; the first coordinate is v, the log-variance of the others.

    Observables: `v`, `v^2` and `x^2 e^-v`, the mean of x_i² e^{−v} over i. Averages of x_i²
    itself are dominated by rare excursions, so they are not offered.

    Attributes:
        num_params: d = n + 1, at least 2.
        scale: s > 0, the standard deviation of v at T = 1.
    """

    num_params: int = 10  # pyright: ignore[reportIncompatibleMethodOverride]
    scale: float = 3.0

    def __post_init__(self) -> None:
        positive_int(self.num_params, "num_params", "Funnel")
        require(self.num_params >= 2, "num_params", "Funnel", "2 or above", self.num_params)
        positive(self.scale, "scale", "Funnel")

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        v, rest = x[:, :1], x[:, 1:]
        n, pull = self.num_params - 1, rest * torch.exp(-v)
        squares = 0.5 * (rest * pull).sum(1, keepdim=True)
        energy = v**2 / (2 * self.scale**2) + squares + 0.5 * n * v
        f_v = -v / self.scale**2 + squares - 0.5 * n
        return energy.squeeze(1), torch.cat([f_v, -pull], 1)

    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        v = x[:, 0]
        scaled = x[:, 1:].pow(2).mean(1) * torch.exp(-v)
        return {"v": v, "v^2": v**2, "x^2 e^-v": scaled}

    def _start(self) -> Sequence[float]:
        return [0.5] + [1.0] * (self.num_params - 1)

    def _mean(self, temperature: float) -> float:
        return 0.5 * (self.num_params - 1) * self.scale**2 * (temperature - 1)

    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        xi = temperature**0.5 * standard_normal(num_walkers, self.num_params, generator)
        v = self._mean(temperature) + self.scale * xi[:, :1]
        return torch.cat([v, torch.exp(v / 2) * xi[:, 1:]], 1)

    def _expect(self, temperature: float) -> dict[str, float]:
        n, mean = self.num_params - 1, self._mean(temperature)
        square = mean**2 + temperature * self.scale**2
        return {
            "energy": square / (2 * self.scale**2) + n * (temperature + mean) / 2,
            "virial": temperature,
            "v": mean,
            "v^2": square,
            "x^2 e^-v": temperature,
        }
