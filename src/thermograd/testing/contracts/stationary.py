"""Contracts on stationary laws: `stationary_order` and `exact_marginals`.

stationary_order   quartic target: the law of the method itself, not its samples. Its density
                   relative to the exact law, in orthonormal polynomials of the state, solves
                   ∫ (P φ_j − φ_j) dρ = 0, where P averages over one step by quadrature. The
                   slope of its distance from 1, over polynomials of degree 1 to 4.
exact_marginals    harmonic target: the discrete Lyapunov equation at two step sizes
"""

import math

import torch
from torch import Tensor

from ...integrators import Integrator, scalars_of
from .gaussian import stationary_covariance
from .orders import judge
from .probe import Setting, read_step
from .quadrature import Weight, boltzmann_weight, noise_rule, normal_weight, product_rule
from .targets import coupled_harmonic, single_quartic
from .verdict import Verdict, slope

__all__ = ["bias", "exact_marginals", "marginal_defects", "measured_order", "stationary_order"]

_DEGREE = 10
_DEGREE_OF_THREE = 8
_SEEN = 4
_EXACT = 1e-11


def measured_order(integrator: Integrator) -> float:
    """Measure the order in h of the bias of the stationary law on a quartic target."""
    setting = Setting(integrator, single_quartic())
    errors = [bias(setting, h) for h in (0.1, 0.05, 0.025, 0.0125)]
    return slope(errors, floor=1e-10)


def stationary_order(integrator: Integrator) -> Verdict:
    """Judge the claimed order; no claim is a claim of none."""
    measured = measured_order(integrator)
    return judge("stationary_order", integrator.claims.stationary_order or 0, measured, measured)


def marginal_defects(setting: Setting, h: float) -> dict[str, float]:
    """Return how far ⟨q qᵀ⟩ and ⟨p pᵀ⟩ are from exact on a harmonic target, relatively.

    A method without a stationary law there is an ArithmeticError.
    """
    law = stationary_covariance(read_step(setting, h))
    d, heat = setting.num_params, setting.temperature
    exact = {"q": heat * torch.linalg.inv(setting.target.quadratic)}
    if setting.integrator.has_momenta:
        exact["p"] = heat * setting.mass * torch.eye(d, dtype=law.dtype)
    blocks = {name: law[k * d : (k + 1) * d, k * d : (k + 1) * d] for k, name in enumerate(exact)}
    return {
        name: float((blocks[name] - wanted).norm() / wanted.norm())
        for name, wanted in exact.items()
    }


def exact_marginals(integrator: Integrator) -> Verdict:
    """Judge which of ⟨q qᵀ⟩ and ⟨p pᵀ⟩ are exact; one that is and is not claimed is false too."""
    claimed = integrator.claims.exact_marginals
    setting = Setting(integrator, coupled_harmonic())
    try:
        both = [marginal_defects(setting, h) for h in (0.5, 0.1)]
    except ArithmeticError as error:
        return Verdict("exact_marginals", _listed(claimed), str(error), "a stationary law", False)
    worst = {name: max(defects[name] for defects in both) for name in both[0]}
    exact = frozenset(name for name, defect in worst.items() if defect <= _EXACT)
    shown = ", ".join(f"{name} {defect:.1e}" for name, defect in worst.items())
    expected = f"at most {_EXACT:.0e} for {_listed(claimed)} alone"
    ok = claimed == exact
    return Verdict("exact_marginals", _listed(claimed), f"defects {shown}", expected, ok)


def bias(setting: Setting, h: float, only: int | None = None) -> float:
    """Return the distance of the stationary law from the exact one, in low polynomials.

    Args:
        setting: the method, on a target with one coordinate.
        h: the step size.
        only: entry of the state to look at alone; without it, q, p and ξ together.
    """
    laws = _exact_laws(setting)
    axes = [law.rule(20 if k == 0 else 12) for k, law in enumerate(laws)]
    states, weights = product_rule(axes)
    variates, chances = noise_rule(setting.count_draws(h), most=100)
    degrees = _degrees(len(laws))
    before = _products(laws, degrees, states)
    after: list[Tensor] = []
    for block in states.split(1 + 60_000 // len(chances)):
        spread = block.repeat_interleave(len(chances), 0)
        moved = setting.play(spread, h, variates.repeat(len(block), 1))
        values = _products(laws, degrees, moved)
        after.append(values.reshape(len(degrees), len(block), -1) @ chances)
    change = (before * weights) @ (torch.cat(after, 1) - before).T
    density, failed = torch.linalg.solve_ex(change[1:, 1:].T, -change[0, 1:])
    if failed:  # no unique stationary law
        return math.nan
    shown = range(setting.num_moving) if only is None else [only]
    low = [sum(k) <= _SEEN and sum(k) == sum(k[i] for i in shown) for k in degrees[1:]]
    return float(density[torch.tensor(low)].norm())


def _exact_laws(setting: Setting) -> list[Weight]:
    k, a = float(setting.target.quadratic), float(setting.target.quartic)
    heat, num = setting.temperature, 32

    def energy(x: Tensor) -> Tensor:
        return (k * x**2 / 2 + a * x**4 / 4) / heat

    momenta = [normal_weight(heat * setting.mass, num)] * setting.integrator.has_momenta
    hidden = [normal_weight(1.0, num)] * len(setting.integrator.auxiliaries)
    thermostat = setting.thermostat
    xi = normal_weight(thermostat.variance_xi(heat), num, thermostat.mean_xi(heat))
    numbers = [xi] * len(scalars_of(setting.integrator))
    return [boltzmann_weight(energy, reach=6.0, num=num), *momenta, *numbers, *hidden]


def _degrees(num: int) -> list[tuple[int, ...]]:
    """Return all tuples of degrees up to a sum that the number allows, the zeros first."""
    most = _DEGREE if num < 3 else _DEGREE_OF_THREE
    axes = torch.arange(most + 1)
    grid = torch.cartesian_prod(*[axes] * num).reshape(-1, num)
    return [tuple(int(k) for k in row) for row in grid if int(row.sum()) <= most]


def _products(laws: list[Weight], degrees: list[tuple[int, ...]], states: Tensor) -> Tensor:
    tables = [law.polynomials(states[:, k], _DEGREE) for k, law in enumerate(laws)]
    index = torch.tensor(degrees)
    product = tables[0][index[:, 0]]
    for k, table in enumerate(tables[1:], start=1):
        product = product * table[index[:, k]]
    return product


def _listed(names: frozenset[str]) -> str:
    return " and ".join(sorted(names, reverse=True)) if names else "none"
