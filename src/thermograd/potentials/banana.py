"""Banana: a curved valley of Rosenbrock's type with an exact sampler.

    U(q) = (q₁ − m)²/(2s²) + (q₂ − c q₁²)²/(2w²)
    f₁ = −(q₁ − m)/s² + 2c q₁ (q₂ − c q₁²)/w²,   f₂ = −(q₂ − c q₁²)/w²

Law: q₁ ~ N(m, T s²), q₂ | q₁ ~ N(c q₁², T w²), for every T. The defaults are the Rosenbrock
density of the source, exp(−(100 (q₂ − q₁²)² + (1 − q₁)²)/20).

References:
    Goodman and Weare (2010), doi:10.2140/camcos.2010.5.65.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import is_real, positive, require
from .analytic import Analytic, standard_normal


@final
@dataclass(frozen=True, slots=True)
class Banana(Analytic):
    """Curved valley in two dimensions.

    Observables: `q1`, `q1^2`, `q2`, `q2^2`.

    Attributes:
        center: m.
        width: s > 0, along the valley.
        bend: c, any sign; 0 makes it Gaussian.
        thickness: w > 0, across the valley.
    """

    center: float = 1.0
    width: float = 10.0**0.5
    bend: float = 1.0
    thickness: float = 0.1**0.5

    def __post_init__(self) -> None:
        require(is_real(self.center), "center", "Banana", "a finite number", self.center)
        positive(self.width, "width", "Banana")
        require(is_real(self.bend), "bend", "Banana", "a finite number", self.bend)
        positive(self.thickness, "thickness", "Banana")

    @property
    def num_params(self) -> int:
        return 2

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        along, across = x[:, 0] - self.center, x[:, 1] - self.bend * x[:, 0] ** 2
        pull, push = along / self.width**2, across / self.thickness**2
        energy = 0.5 * (along * pull + across * push)
        return energy, torch.stack([2 * self.bend * x[:, 0] * push - pull, -push], 1)

    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        q1, q2 = x[:, 0], x[:, 1]
        return {"q1": q1, "q1^2": q1**2, "q2": q2, "q2^2": q2**2}

    def _start(self) -> Sequence[float]:
        q1 = self.center + self.width
        return [q1, self.bend * q1**2 + self.thickness]

    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        xi = temperature**0.5 * standard_normal(num_walkers, 2, generator)
        q1 = self.center + self.width * xi[:, 0]
        return torch.stack([q1, self.bend * q1**2 + self.thickness * xi[:, 1]], 1)

    def _expect(self, temperature: float) -> dict[str, float]:
        m2, s2 = self.center**2, temperature * self.width**2
        second, fourth = m2 + s2, m2**2 + 6 * m2 * s2 + 3 * s2**2
        return {
            "energy": temperature,
            "virial": temperature,
            "q1": self.center,
            "q1^2": second,
            "q2": self.bend * second,
            "q2^2": self.bend**2 * fourth + temperature * self.thickness**2,
        }
