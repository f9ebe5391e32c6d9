"""Contract `limits`: at an extreme of its parameters, a method is another method.

temperature = 0   the same positions for 30 steps from rest on a quartic target, to 1e-14
friction = ∞      the same stationary law of positions on a harmonic target, at lags of 0 to 3
                  steps, to 1e-12
"""

import importlib
import math
from dataclasses import replace

import torch
from torch import Tensor

from ..._registry import INTEGRATORS
from ...claims import Limit
from ...integrators import Integrator, get
from .gaussian import stationary_covariance
from .probe import Setting, Silence, read_step
from .targets import coupled_harmonic, coupled_quartic
from .verdict import Verdict

_STEPS = ((0.3, 1.7), (0.2, 0.6))  # (h, γ)


def limit_defect(integrator: Integrator, limit: Limit) -> float:
    """Return how far the two methods are apart."""
    if limit.at == "temperature = 0":
        return max(_trajectory_defect(integrator, limit, h, gamma) for h, gamma in _STEPS)
    return max(_law_defect(integrator, limit, h) for h, _ in _STEPS)


def limits(integrator: Integrator) -> list[Verdict]:
    """Judge every limit a method claims."""
    return [_judge(integrator, limit) for limit in integrator.claims.limits]


def _judge(integrator: Integrator, limit: Limit) -> Verdict:
    tolerance = 1e-14 if limit.at == "temperature = 0" else 1e-12
    defect = limit_defect(integrator, limit)
    claim = f"{limit.method} at {limit.at}"
    shown, expected = f"differ by {defect:.1e}", f"at most {tolerance:.0e}"
    return Verdict("limits", claim, shown, expected, defect <= tolerance)


def _other(limit: Limit, h: float, gamma: float) -> Integrator:
    """Make the other method with the options of the limit."""
    options = limit.options(h, gamma)
    if not options:
        return get(limit.method)
    module = importlib.import_module(f"{INTEGRATORS.package}.{limit.method}")
    return module.MAKE(**options)


def _trajectory_defect(integrator: Integrator, limit: Limit, h: float, gamma: float) -> float:
    target = coupled_quartic()
    setting = Setting(integrator, target, friction=gamma, temperature=0.0)
    other = replace(setting, integrator=_other(limit, h, gamma))
    mine, its = _rest(setting), _rest(other)
    d, step, worst = setting.num_params, limit.step_size(h, gamma), 0.0
    for _ in range(30):
        mine, its = setting.step(mine, h, Silence()), other.step(its, step, Silence())
        worst = max(worst, float((mine[:, :d] - its[:, :d]).abs().max()))
    return worst


def _rest(setting: Setting) -> Tensor:
    states = torch.zeros(1, setting.num_state, dtype=torch.float64)
    states[0, :2] = torch.tensor([0.6, -0.45])
    return states


def _law_defect(integrator: Integrator, limit: Limit, h: float) -> float:
    setting = Setting(integrator, coupled_harmonic(), friction=float("inf"))
    other = replace(
        setting,
        integrator=_other(limit, h, setting.friction),
        temperature=setting.temperature * limit.temperature,
    )
    try:
        mine = _lagged(setting, h)
        its = _lagged(other, limit.step_size(h, setting.friction))
    except ArithmeticError:  # one of them has no stationary law
        return math.inf
    return float((mine - its).abs().max())


def _lagged(setting: Setting, h: float) -> Tensor:
    """Return the stationary covariances of positions at lags 0 to 3, shape (4, d, d)."""
    step, d = read_step(setting, h), setting.num_params
    covariances = [stationary_covariance(step)]
    for _ in range(3):
        covariances.append(step.matrix @ covariances[-1])
    return torch.stack([c[:d, :d] for c in covariances])
