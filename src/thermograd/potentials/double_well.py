"""Double well: two wells in every coordinate, with an optional tilt between them.

    U(q) = Σ b (q_i² − a²)² + c q_i,   f_i = −4 b q_i (q_i² − a²) − c

Without tilt the wells lie at ±a behind a barrier of height b a⁴.
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
class DoubleWell(Analytic):
    """Double well U = Σ b (q_i² − a²)² + c q_i.

    Observables: `q`, `q^2`, `q^4`, each the mean over the coordinates. Draws come from a
    tabulated distribution function; averages from quadrature.

    Attributes:
        stiffness: b > 0.
        well: a > 0, the distance of the untilted wells from 0.
        tilt: c, any sign.
        num_params: d > 0, the number of coordinates.
    """

    stiffness: float = 1.0
    well: float = 1.0
    tilt: float = 0.0
    num_params: int = 1  # pyright: ignore[reportIncompatibleMethodOverride]

    def __post_init__(self) -> None:
        positive(self.stiffness, "stiffness", "DoubleWell")
        positive(self.well, "well", "DoubleWell")
        require(is_real(self.tilt), "tilt", "DoubleWell", "a finite number", self.tilt)
        positive_int(self.num_params, "num_params", "DoubleWell")

    @property
    def barrier(self) -> float:
        """Height of the barrier without tilt, b a⁴."""
        return self.stiffness * self.well**4

    def _energy_per_coordinate(self, x: Tensor) -> Tensor:
        return self.stiffness * (x.pow(2) - self.well**2).pow(2) + self.tilt * x

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        f = -4 * self.stiffness * x * (x.pow(2) - self.well**2) - self.tilt
        return self._energy_per_coordinate(x).sum(1), f

    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        return {"q": x.mean(1), "q^2": x.pow(2).mean(1), "q^4": x.pow(4).mean(1)}

    def _start(self) -> Sequence[float]:
        return [1.5 * self.well if self.tilt <= 0 else -1.5 * self.well] * self.num_params

    def _interval(self, temperature: float) -> Interval:
        return interval(self._energy_per_coordinate, 2 * self.well, temperature)

    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        shape = (num_walkers, self.num_params)
        return draw(
            self._energy_per_coordinate, self._interval(temperature), temperature, shape, generator
        )

    def _expect(self, temperature: float) -> dict[str, float]:
        values = averages(replace(self, num_params=1), [self._interval(temperature)], temperature)
        return {**values, "energy": self.num_params * values["energy"]}
