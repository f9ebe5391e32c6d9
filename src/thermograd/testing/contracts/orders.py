"""Contracts on the order at a fixed time: `weak_order` and `local_order`.

weak_order    harmonic target: mean and covariance at time t after t/h steps, h halved five
              times, against the matrix exponential
local_order   quartic target: averages over the noise of one step, by Gauss-Hermite quadrature,
              against the Taylor series of the dynamics; the slope minus one

Either shows an order that is too high to claim. A claim is too modest if both show more. A step
with a thermostat variable is affine on no target, so only the second applies to it.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from ...integrators import Integrator, scalars_of
from .gaussian import exact_moments, moments_after
from .probe import Setting, read_start, read_step
from .quadrature import noise_rule
from .targets import coupled_harmonic, coupled_quartic, single_quartic
from .taylor import Generator, monomials
from .verdict import Verdict, slope

TOLERANCE = 0.15
_POINT = (0.6, -0.45, 0.5, 0.35)


@dataclass(frozen=True, slots=True)
class Orders:
    """What was measured; None where a contract does not apply."""

    harmonic: float | None
    quartic: float | None

    @property
    def least(self) -> float:
        """The order that may be claimed."""
        return min(order for order in (self.harmonic, self.quartic) if order is not None)


def weak_order(integrator: Integrator) -> float:
    """Measure the order of mean and covariance at a fixed time on a harmonic target."""
    setting = Setting(integrator, coupled_harmonic())
    time, n = 1.5, setting.num_moving
    point = torch.tensor(_POINT[:n], dtype=torch.float64)
    start = read_start(setting)
    exact = exact_moments(setting, point, time)
    errors: list[float] = []
    for steps in (8, 16, 32, 64, 128, 256):
        step = read_step(setting, time / steps)
        mean, covariance = moments_after(step, start, point, steps)
        off = (mean[:n] - exact[0], (covariance[:n, :n] - exact[1]).flatten())
        errors.append(float(torch.cat(off).norm()))
    return slope(errors, floor=1e-12)


def local_order(integrator: Integrator, halvings: int = 3) -> float:
    """Measure the order of one step on a quartic target: the slope of its error, minus one."""
    setting = Setting(integrator, coupled_quartic())
    # one coordinate keeps the quadrature small, or the series where there is a third variable
    if setting.count_draws(0.1) > 3 or scalars_of(integrator):
        setting = Setting(integrator, single_quartic())
    n = setting.num_moving
    observed = _observed(n)
    series = _series(setting, observed, terms=8)
    draws = setting.count_draws(0.1) * setting.num_params
    variates, weights = noise_rule(draws, most=20_000)
    states = torch.tensor(_POINT[:n], dtype=torch.float64).repeat(len(weights), 1)
    errors: list[float] = []
    for k in range(halvings + 1):
        h = 0.1 / 2**k
        moved = setting.play(states, h, variates)
        averages = monomials(observed, moved) @ weights
        powers = torch.tensor([h**j for j in range(series.shape[1])], dtype=torch.float64)
        errors.append(float((averages - series @ powers).norm()))
    return slope(errors, floor=1e-13) - 1.0


def measure(integrator: Integrator) -> Orders:
    """Measure both; one step says nothing where part of the state is hidden."""
    local = None if integrator.auxiliaries else local_order(integrator)
    return Orders(None if scalars_of(integrator) else weak_order(integrator), local)


def orders(integrator: Integrator) -> list[Verdict]:
    """Judge the claimed weak order; no claim is a claim of no order."""
    claimed = integrator.claims.weak_order or 0
    found = measure(integrator)
    verdicts: list[Verdict] = []
    if found.harmonic is not None:
        verdicts.append(judge("weak_order", claimed, found.harmonic, found.least))
    if found.quartic is not None:
        verdicts.append(judge("local_order", claimed, found.quartic, found.least))
    return verdicts


def judge(contract: str, claimed: int, measured: float, least: float) -> Verdict:
    """Judge an order: too low is too bold, and more than claimed everywhere is too modest."""
    is_true = measured >= claimed - TOLERANCE
    is_modest = least > claimed + 1 - TOLERANCE
    said = str(claimed) if claimed else "none"
    shown = "exact" if math.isinf(measured) else f"{measured:.2f}"
    ok = is_true and not is_modest
    expected = f"{claimed} within {TOLERANCE}" if claimed else "none"
    if not ok and math.isfinite(least):
        expected += f"; {max(round(least), 0)} would be true"
    return Verdict(contract, said, shown, expected, ok)


def _observed(n: int) -> list[tuple[int, ...]]:
    """Return the exponents of all monomials of degrees 1 and 2."""
    units = torch.eye(n, dtype=torch.int64)
    pairs = [units[i] + units[j] for i in range(n) for j in range(i, n)]
    return [tuple(int(k) for k in row) for row in (*units, *pairs)]


def _series(setting: Setting, observed: list[tuple[int, ...]], terms: int) -> Tensor:
    generator = Generator(setting)
    point = _POINT[: setting.num_moving]
    rows = [generator.series({exponents: 1.0}, point, terms) for exponents in observed]
    return torch.tensor(rows, dtype=torch.float64)
