"""Quartic potential: stiff far out, flat or harmonic at the bottom, independent coordinates.

    U(q) = Σ a q_i⁴/4 + k q_i²/2,   f_i = −a q_i³ − k q_i

With k = 0 the averages are E|q|ⁿ = (4T/a)^{n/4} Γ((n+1)/4) / Γ(1/4).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from .._checks import is_real, positive, positive_int, require
from ._quadrature import Interval, averages, draw, interval
from .analytic import Analytic


@final
@dataclass(frozen=True, slots=True)
class Quartic(Analytic):
    """Quartic potential U = Σ a q_i⁴/4 + k q_i²/2.

    Observables: `q`, `q^2`, `q^4`, each the mean over the coordinates. Draws come from a
    tabulated distribution function; averages from quadrature.

    Attributes:
        quartic: a > 0.
        quadratic: k, any sign; negative makes two wells.
        num_params: d > 0, the number of coordinates.
    """

    quartic: float = 1.0
    quadratic: float = 0.0
    num_params: int = 1  # pyright: ignore[reportIncompatibleMethodOverride]

    def __post_init__(self) -> None:
        positive(self.quartic, "quartic", "Quartic")
        ok = is_real(self.quadratic)
        require(ok, "quadratic", "Quartic", "a finite number", self.quadratic)
        positive_int(self.num_params, "num_params", "Quartic")

    def _energy_per_coordinate(self, x: Tensor) -> Tensor:
        return self.quartic * x.pow(4) / 4 + self.quadratic * x.pow(2) / 2

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        f = -(self.quartic * x.pow(2) + self.quadratic) * x
        return self._energy_per_coordinate(x).sum(1), f

    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        return {"q": x.mean(1), "q^2": x.pow(2).mean(1), "q^4": x.pow(4).mean(1)}

    def _start(self) -> Sequence[float]:
        bottom = max(-self.quadratic, 0.0) / self.quartic
        return [(bottom**0.5) + self.quartic**-0.25] * self.num_params

    def _interval(self, temperature: float) -> Interval:
        reach = 2 * (abs(self.quadratic) / self.quartic) ** 0.5 + self.quartic**-0.25
        return interval(self._energy_per_coordinate, reach, temperature)

    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        shape = (num_walkers, self.num_params)
        return draw(
            self._energy_per_coordinate, self._interval(temperature), temperature, shape, generator
        )

    def _expect(self, temperature: float) -> dict[str, float]:
        values = averages(replace(self, num_params=1), [self._interval(temperature)], temperature)
        return {**values, "energy": self.num_params * values["energy"]}
