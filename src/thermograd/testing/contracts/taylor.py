"""Taylor series in time of averages of the dynamics on a polynomial target.

    E f(X_h) = Σ_n hⁿ/n! (Lⁿ f)(x)
    Langevin      L = (p/m)·∂_q − ∇U·∂_p − γ p·∂_p + γ m T ∂_p·∂_p
    adaptive      L = (p/m)·∂_q − ∇U·∂_p − c ξ p·∂_p + ½σ²m ∂_p·∂_p + ε(|p|²/m − NT) ∂_ξ
    overdamped    L = −(∇U/m)·∂_q + (T/m) ∂_q·∂_q

L maps polynomials to polynomials, so the coefficients are exact. A polynomial is a dictionary
from exponents, one for each entry of the state, to coefficients.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor

from .probe import Setting

Exponents: TypeAlias = tuple[int, ...]
Polynomial: TypeAlias = dict[Exponents, float]


class Generator:
    """The generator L of the dynamics that a method claims to discretise.

    Args:
        setting: the method, its target and its parameters.
    """

    def __init__(self, setting: Setting) -> None:
        d, m = setting.num_params, setting.mass
        self.num_state = setting.num_moving
        f = [_force(setting, i) for i in range(d)]
        dynamics = setting.integrator.claims.dynamics
        if dynamics == "adaptive langevin":
            self._make_adaptive(setting, f)
        elif dynamics in {"langevin", "hamiltonian"}:
            gamma = setting.friction if dynamics == "langevin" else 0.0
            velocity = [{self._unit(d + i): 1 / m} for i in range(d)]
            kick = [{**f[i], self._unit(d + i): -gamma} for i in range(d)]
            self.drift = [*velocity, *kick]
            self.diffusion = [0.0] * d + [gamma * m * setting.temperature] * d
        else:
            heat = setting.temperature if dynamics == "overdamped" else 0.0
            self.drift = [{k: c / m for k, c in term.items()} for term in f]
            self.diffusion = [heat / m] * d

    def _make_adaptive(self, setting: Setting, f: list[Polynomial]) -> None:
        d, m, thermostat = setting.num_params, setting.mass, setting.thermostat
        velocity = [{self._unit(d + i): 1 / m} for i in range(d)]
        c, rate, sigma = thermostat.friction_per_xi, thermostat.feedback, thermostat.driving_noise
        kick = [{**f[i], self._unit(d + i, 2 * d): -c} for i in range(d)]
        answer = {self._unit(d + i, d + i): rate / m for i in range(d)}
        answer[self._unit()] = -rate * d * setting.temperature
        self.drift = [*velocity, *kick, answer]
        self.diffusion = [0.0] * d + [sigma**2 * m / 2] * d + [0.0]

    def _unit(self, *indices: int) -> Exponents:
        return tuple(indices.count(i) for i in range(self.num_state))

    def apply(self, f: Polynomial) -> Polynomial:
        """Return L f."""
        result: defaultdict[Exponents, float] = defaultdict(float)
        for exponents, coefficient in f.items():
            for i, power in enumerate(exponents):
                if power == 0:
                    continue
                lower = _shift(exponents, i, -1)
                for drift, size in self.drift[i].items():
                    product = tuple(a + b for a, b in zip(lower, drift, strict=True))
                    result[product] += coefficient * power * size
                if power > 1 and self.diffusion[i] > 0:
                    twice = _shift(lower, i, -1)
                    result[twice] += coefficient * power * (power - 1) * self.diffusion[i]
        return dict(result)

    def series(self, f: Polynomial, point: Sequence[float], terms: int) -> list[float]:
        """Return the Taylor coefficients of E f(X_h) from a point, orders 0 to `terms`."""
        coefficients: list[float] = []
        for n in range(terms + 1):
            coefficients.append(evaluate(f, point) / math.factorial(n))
            if n < terms:
                f = self.apply(f)
        return coefficients


def evaluate(f: Polynomial, point: Sequence[float]) -> float:
    """Return the value of a polynomial."""
    return math.fsum(
        c * math.prod(x**k for x, k in zip(point, exponents, strict=True))
        for exponents, c in f.items()
    )


def monomials(exponents: Sequence[Exponents], states: Tensor) -> Tensor:
    """Return the values of monomials at states, shape (number of monomials, W)."""
    powers = torch.tensor(exponents, dtype=states.dtype)
    return (states.unsqueeze(0) ** powers.unsqueeze(1)).prod(2)


def _force(setting: Setting, i: int) -> Polynomial:
    k, a = setting.target.quadratic, setting.target.quartic
    d, n = setting.num_params, setting.num_moving
    result: Polynomial = {}
    for j in range(d):
        result[tuple(int(x == j) for x in range(n))] = -float(k[i, j])
        cubic = tuple(int(x == i) + 2 * int(x == j) for x in range(n))
        result[cubic] = -float(a[i, j])
    return result


def _shift(exponents: Exponents, i: int, by: int) -> Exponents:
    return (*exponents[:i], exponents[i] + by, *exponents[i + 1 :])
