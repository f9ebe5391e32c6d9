"""Priors on the parameters of a network: independent coordinates, one density for each.

A prior is two functions of a tensor, element by element: its energy −log π(x) and the slope of
it. `PerParameter` gives different parameters different priors, by the pattern of their names.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Protocol, final, runtime_checkable

import torch
from torch import Tensor

from .._checks import is_real, positive, require, unknown_name
from .._errors import ParameterError
from ._expint import scaled_e1

__all__ = [
    "Flat",
    "Gaussian",
    "Horseshoe",
    "Laplace",
    "PerParameter",
    "Prior",
    "Walls",
    "is_confining",
    "resolve",
]


@runtime_checkable
class Prior(Protocol):
    """A density π on the line, taken for every coordinate of a parameter."""

    @property
    def is_confining(self) -> bool:
        """Whether π^(1/T) is normalisable at every temperature T > 0.

        A virial average exists, and equals the temperature, only if every coordinate is confined
        by its prior or by the likelihood; the likelihood alone rarely does.
        """
        ...

    def energy(self, x: Tensor) -> Tensor:
        """Return −log π(x), element by element."""
        ...

    def slope(self, x: Tensor) -> Tensor:
        """Return the derivative of −log π(x), element by element."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Flat:
    """Flat prior: −log π(x) = 0, no density at all but the usual choice of a point estimate."""

    @property
    def is_confining(self) -> bool:
        return False

    def energy(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)

    def slope(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


@final
@dataclass(frozen=True, slots=True)
class Gaussian:
    """Gaussian prior: −log π(x) = x²/(2s²) + ln s + ½ ln 2π.

    Attributes:
        sd: s > 0, in units of the parameter.
    """

    sd: float

    def __post_init__(self) -> None:
        positive(self.sd, "sd", "Gaussian")

    @classmethod
    def from_precision(cls, precision: float) -> "Gaussian":
        """Make a Gaussian of precision λ = 1/s² > 0, the λ of an energy ½λx²."""
        return cls(1.0 / math.sqrt(positive(precision, "precision", "Gaussian.from_precision")))

    @property
    def is_confining(self) -> bool:
        return True

    def energy(self, x: Tensor) -> Tensor:
        return 0.5 * (x / self.sd) ** 2 + (math.log(self.sd) + 0.5 * math.log(2.0 * math.pi))

    def slope(self, x: Tensor) -> Tensor:
        return x * self.sd**-2


@final
@dataclass(frozen=True, slots=True)
class Laplace:
    """Laplace prior: −log π(x) = |x|/b + ln 2b; its slope at 0 is taken as 0.

    Attributes:
        scale: b > 0, the mean of |x|; the standard deviation is √2 b.
    """

    scale: float

    def __post_init__(self) -> None:
        positive(self.scale, "scale", "Laplace")

    @property
    def is_confining(self) -> bool:
        return True

    def energy(self, x: Tensor) -> Tensor:
        return x.abs() / self.scale + math.log(2.0 * self.scale)

    def slope(self, x: Tensor) -> Tensor:
        return torch.sign(x) / self.scale


@final
@dataclass(frozen=True, slots=True)
class Horseshoe:
    r"""Horseshoe prior, its local scale integrated out and its spike at 0 rounded off.

    With x | λ ~ N(0, τ²λ²) and λ half-Cauchy, the density of x is known in closed form,
    $\pi(x) = g(x^2/2\tau^2) / (\tau\sqrt{2\pi^3})$ with $g(z) = e^z E_1(z)$. It is infinite at 0,
    and so is its force, which no fixed step size can follow. Here x² becomes x² + ε²:

        −log π(x) = −ln g(z) + ln(τ √(2π³)) + δ + ln erfc(√δ)
        z = (x² + ε²)/(2τ²),   δ = ε²/(2τ²)

    This is normalised, exactly, and tends to the horseshoe as ε → 0. Its tails fall like 1/x²,
    too slowly to confine at high temperature.

    Attributes:
        scale: τ > 0, in units of the parameter.
        smoothing: ε/τ > 0; the spike is rounded off for |x| below about ε.

    References:
        Carvalho, Polson and Scott (2010), doi:10.1093/biomet/asq017.
    """

    scale: float
    smoothing: float = 0.01

    def __post_init__(self) -> None:
        positive(self.scale, "scale", "Horseshoe")
        ok = is_real(self.smoothing) and 0 < self.smoothing <= 1
        require(ok, "smoothing", "Horseshoe", "a number above 0 and at most 1", self.smoothing)

    @property
    def is_confining(self) -> bool:
        return False

    def energy(self, x: Tensor) -> Tensor:
        delta = 0.5 * self.smoothing**2
        constant = math.log(self.scale * math.sqrt(2.0 * math.pi**3))
        constant += delta + math.log(math.erfc(math.sqrt(delta)))
        return constant - scaled_e1(self._z(x))[0]

    def slope(self, x: Tensor) -> Tensor:
        return scaled_e1(self._z(x))[1] * x * self.scale**-2

    def _z(self, x: Tensor) -> Tensor:
        return 0.5 * (x / self.scale) ** 2 + 0.5 * self.smoothing**2


@final
@dataclass(frozen=True, slots=True)
class Walls:
    """Soft walls: energy a·dᵖ at a distance d outside [lower, upper], 0 inside; not normalised.

    Attributes:
        lower: where the lower wall stands; −∞ for none.
        upper: where the upper wall stands; ∞ for none.
        factor: a > 0.
        power: p > 1, so that the force is continuous.
    """

    lower: float = -math.inf
    upper: float = math.inf
    factor: float = 1.0
    power: float = 2.0

    def __post_init__(self) -> None:
        positive(self.factor, "factor", "Walls")
        ok = is_real(self.power) and self.power > 1
        require(ok, "power", "Walls", "a finite number above 1", self.power)
        bounds = (self.lower, self.upper)
        ok = self.lower < self.upper and bounds != (-math.inf, math.inf)
        require(ok, "(lower, upper)", "Walls", "in order, with a finite one among them", bounds)

    @property
    def is_confining(self) -> bool:
        return math.isfinite(self.lower) and math.isfinite(self.upper)

    def energy(self, x: Tensor) -> Tensor:
        return self.factor * self._outside(x).abs() ** self.power

    def slope(self, x: Tensor) -> Tensor:
        outside = self._outside(x)
        steepness = self.factor * self.power * outside.abs() ** (self.power - 1.0)
        return steepness * torch.sign(outside)

    def _outside(self, x: Tensor) -> Tensor:
        return x - x.clamp(self.lower, self.upper)


@final
@dataclass(frozen=True, slots=True)
class PerParameter:
    """A prior for each parameter, by name: the first pattern that matches decides.

    Attributes:
        priors: from the name of a parameter, or a pattern such as "*.bias", to its prior.
    """

    priors: Mapping[str, Prior]

    def __post_init__(self) -> None:
        table = dict(self.priors)
        require(len(table) > 0, "priors", "PerParameter", "a mapping with an entry", table)
        for pattern, prior in table.items():
            _require_prior(prior, f"priors[{pattern!r}]", "PerParameter")
        object.__setattr__(self, "priors", MappingProxyType(table))


def resolve(prior: Prior | PerParameter | None, names: Sequence[str]) -> list[Prior]:
    """Return the prior of each named parameter; None is flat.

    A pattern that matches no parameter is an UnknownNameError.

    Raises:
        ParameterError: if a parameter is matched by no pattern.
    """
    if prior is None:
        prior = Flat()
    if not isinstance(prior, PerParameter):
        _require_prior(prior, "prior", "Network")
        return [prior] * len(names)
    for pattern in prior.priors:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise unknown_name("trainable parameter", pattern, names)
    found: list[Prior] = []
    for name in names:
        matching = (own for pattern, own in prior.priors.items() if fnmatchcase(name, pattern))
        chosen = next(matching, None)
        if chosen is None:
            raise ParameterError(
                f"the prior says nothing about {name!r}: it would be flat there by omission. Add "
                'an entry for it, or end with "*": Flat().'
            )
        found.append(chosen)
    return found


def is_confining(priors: Sequence[Prior]) -> bool:
    """Tell whether every one of the priors confines."""
    return all(prior.is_confining for prior in priors)


def _require_prior(prior: object, name: str, owner: str) -> None:
    ok = isinstance(prior, Prior) and not isinstance(prior, type)
    require(ok, name, owner, "a prior (with `energy`, `slope` and `is_confining`)", prior)
