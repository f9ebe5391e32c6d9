"""Schedules: how a step size, temperature or friction changes with the step number."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

from ._checks import is_real, non_negative, positive, positive_int, require


class Schedule(Protocol):
    """A map from the step number t = 0, 1, … to a value; it keeps no state."""

    def __call__(self, step: int, /) -> float:
        """Return the value at `step`."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Constant:
    """The same value at every step.

    Attributes:
        value: any finite number.
    """

    value: float

    def __post_init__(self) -> None:
        require(is_real(self.value), "value", "Constant", "a finite number", self.value)

    def __call__(self, step: int, /) -> float:
        return float(self.value)


@final
@dataclass(frozen=True, slots=True)
class Polynomial:
    """Polynomial decay a (b + t)^(−power), the decreasing step size of SGLD.

    With ½ < power ≤ 1 the values sum to infinity and their squares do not, so the chain goes
    anywhere and its bias vanishes; other powers are accepted with a warning.

    Attributes:
        a: a > 0.
        b: b > 0, the steps before decay sets in.
        power: the exponent, above 0.

    References:
        Welling and Teh (2011), section 3, ICML; conditions of Robbins and Monro (1951),
        doi:10.1214/aoms/1177729586.
    """

    a: float
    b: float
    power: float

    def __post_init__(self) -> None:
        positive(self.a, "a", "Polynomial")
        positive(self.b, "b", "Polynomial")
        positive(self.power, "power", "Polynomial")
        if not 0.5 < self.power <= 1:
            fails = "their squares sum to infinity" if self.power <= 0.5 else "their sum is finite"
            warnings.warn(
                f"with power {self.power!r} the step sizes break the Robbins-Monro condition: "
                f"{fails}; take 0.5 < power <= 1 for a chain that converges",
                stacklevel=3,
            )

    def __call__(self, step: int, /) -> float:
        return self.a * (self.b + step) ** -self.power


@final
@dataclass(frozen=True, slots=True)
class Exponential:
    """Exponential decay start · exp(−rate t).

    Attributes:
        start: the value at t = 0, any finite number.
        rate: decay per step, rate ≥ 0; torch's ExponentialLR has gamma = exp(−rate).
    """

    start: float
    rate: float

    def __post_init__(self) -> None:
        require(is_real(self.start), "start", "Exponential", "a finite number", self.start)
        non_negative(self.rate, "rate", "Exponential")

    def __call__(self, step: int, /) -> float:
        return self.start * math.exp(-self.rate * step)


@final
@dataclass(frozen=True, slots=True)
class Cyclical:
    """Cosine cycles floor + ½ (peak − floor)(cos(π r) + 1), r = (t mod P)/P.

    Each cycle starts at `peak` and falls towards `floor`, then starts anew; cyclical SG-MCMC
    explores while r is small and samples afterwards. The source counts steps from 1.

    Attributes:
        peak: the value at the start of a cycle, above `floor`.
        period: P > 0, steps per cycle.
        floor: the value a cycle falls towards, at least 0; 0 in the source.

    References:
        Zhang, Li, Zhang, Chen and Wilson (2020), arXiv:1902.03932, eq. (1).
    """

    peak: float
    period: int
    floor: float = 0.0

    def __post_init__(self) -> None:
        positive(self.peak, "peak", "Cyclical")
        positive_int(self.period, "period", "Cyclical")
        non_negative(self.floor, "floor", "Cyclical")
        ok = self.floor < self.peak
        require(ok, "floor", "Cyclical", f"below the peak {self.peak!r}", self.floor)

    def phase(self, step: int) -> float:
        """Return r, the elapsed share of the present cycle, 0 ≤ r < 1."""
        return (step % self.period) / self.period

    def __call__(self, step: int, /) -> float:
        height = 0.5 * (self.peak - self.floor)
        return self.floor + height * (math.cos(math.pi * self.phase(step)) + 1)


@final
@dataclass(frozen=True, slots=True)
class Geometric:
    """Geometric decay max(start · factor^t, floor): the scoping of Entropy-SGD and Parle.

    Attributes:
        start: the value at t = 0, above 0.
        factor: in (0, 1]; 1 − γ₁ in the source, 1 − 1/(2B) with B batches an epoch for Parle.
        floor: where it stops, at least 0.

    References:
        Chaudhari (2018), thesis, section 3.2.3 and eq. (5.10).
    """

    start: float
    factor: float
    floor: float = 0.0

    def __post_init__(self) -> None:
        positive(self.start, "start", "Geometric")
        ok = is_real(self.factor) and 0 < self.factor <= 1
        require(ok, "factor", "Geometric", "in (0, 1]", self.factor)
        non_negative(self.floor, "floor", "Geometric")

    def __call__(self, step: int, /) -> float:
        return max(self.start * self.factor**step, self.floor)


@final
@dataclass(frozen=True, slots=True)
class PowerDecay:
    """From `start` to `end` in `steps` steps, as end + (start − end)(1 − t/steps)^power.

    Power 1 is linear and power 2 quadratic, the other two scopings of the source. It stays at
    `end` afterwards.

    Attributes:
        start: the value at t = 0.
        end: the value from `steps` on.
        steps: above 0.
        power: above 0.

    References:
        Chaudhari (2018), thesis, section 3.2.3.
    """

    start: float
    end: float
    steps: int
    power: float = 1.0

    def __post_init__(self) -> None:
        require(is_real(self.start), "start", "PowerDecay", "a finite number", self.start)
        require(is_real(self.end), "end", "PowerDecay", "a finite number", self.end)
        positive_int(self.steps, "steps", "PowerDecay")
        positive(self.power, "power", "PowerDecay")

    def __call__(self, step: int, /) -> float:
        left = max(0.0, 1.0 - step / self.steps)
        return self.end + (self.start - self.end) * left**self.power


def as_schedule(value: float | Callable[[int], float]) -> Schedule:
    """Return a schedule: `value` itself if it is callable, else a constant of that value.

    Args:
        value: a finite number, or anything that maps a step number to one.
    """
    if callable(value):
        return value
    require(is_real(value), "value", "as_schedule", "a finite number or a callable", value)
    return Constant(value)
