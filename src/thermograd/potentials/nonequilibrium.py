"""Double well with a current: a force that is no gradient, yet with a known law.

    Φ(q) = (q₁² − 1)²/4 + q₂²/2
    J(q) = exp(−(q₁² + q₂²)²/4) (−q₂, q₁)
    j(q) = λ e^Φ J
    f(q) = −∇Φ + j

The overdamped dynamics dq = f dt + √2 dB keeps e^{−Φ} for every λ, because j e^{−Φ} = λ J has
no divergence. This holds at T = 1 only: at another temperature ∇·(j e^{−Φ/T}) =
λ (1 − 1/T) e^{(1 − 1/T)Φ} ∇Φ·J does not vanish, the law is unknown and differs from e^{−Φ/T}
unless λ = 0. Underdamped dynamics with this force do not keep e^{−Φ − p²/2} either, since the
current acts on positions.

Two facts that sources get wrong: ∇·j = j·∇Φ ≠ 0, and the noise-free flow has
no attracting limit cycle; for λ ≥ 1 it spirals, ever more slowly, into the origin. What the
current does show is rotation, with average E[q₁ j₂ − q₂ j₁] = 2πλ/∫e^{−Φ}.

References:
    Chaudhari (2018), doctoral thesis, UCLA, Example 6.43, after Noh and Lee (2015),
    arXiv:1411.3211.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import is_real, require
from ..state import Params
from ._quadrature import DECAY, averages, draw, interval
from .analytic import Analytic, flatten, standard_normal


def _double_well(x: Tensor) -> Tensor:
    return (x.pow(2) - 1).pow(2) / 4


@final
@dataclass(frozen=True, slots=True)
class NonEquilibrium(Analytic):
    """Double well in two dimensions with a rotating current; `energy` is Φ.

    Observables: `q1`, `q1^2`, `q2^2` and `rotation`, q₁ j₂ − q₂ j₁. Draws and averages exist
    at T = 1, and at any T when `strength` is 0.

    Attributes:
        strength: λ, any sign; 0 is equilibrium.
    """

    strength: float = 0.5

    def __post_init__(self) -> None:
        ok = is_real(self.strength)
        require(ok, "strength", "NonEquilibrium", "a finite number", self.strength)

    @property
    def num_params(self) -> int:
        return 2

    def _swirl(self, x: Tensor) -> Tensor:
        """Return λ exp(Φ − |q|⁴/4), expanded so that it cannot overflow, shape (W,)."""
        a, b = x[:, 0] ** 2, x[:, 1] ** 2
        return self.strength * torch.exp(0.25 - a / 2 + b / 2 - a * b / 2 - b**2 / 4)

    def _current(self, x: Tensor) -> Tensor:
        turned = torch.stack([-x[:, 1], x[:, 0]], 1)
        return self._swirl(x).unsqueeze(1) * turned

    def current(self, q: Params) -> Tensor:
        """Return j, shape (W, 2)."""
        return self._current(flatten(q, 2, "NonEquilibrium"))

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        q1, q2 = x[:, 0], x[:, 1]
        energy = _double_well(q1) + q2**2 / 2
        gradient = torch.stack([q1 * (q1**2 - 1), q2], 1)
        return energy, self._current(x) - gradient

    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        q1, q2 = x[:, 0], x[:, 1]
        rotation = self._swirl(x) * (q1**2 + q2**2)
        return {"q1": q1, "q1^2": q1**2, "q2^2": q2**2, "rotation": rotation}

    def _start(self) -> Sequence[float]:
        return [1.5, 0.5]

    def _check(self, temperature: float, verb: str) -> None:
        constraint = "1: with a current the law is known only there"
        known = temperature == 1 or self.strength == 0
        require(known, "temperature", f"NonEquilibrium.{verb}", constraint, temperature)

    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        self._check(temperature, "sample")
        bounds = interval(_double_well, 2.0, temperature)
        q1 = draw(_double_well, bounds, temperature, (num_walkers, 1), generator)
        q2 = math.sqrt(temperature) * standard_normal(num_walkers, 1, generator)
        return torch.cat([q1, q2], 1)

    def _expect(self, temperature: float) -> dict[str, float]:
        self._check(temperature, "expectations")
        half = math.sqrt(2 * temperature * DECAY)
        return averages(
            self, [interval(_double_well, 2.0, temperature), (-half, half)], temperature
        )
