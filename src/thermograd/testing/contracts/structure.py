"""Contracts on geometry at γ = 0, on a quartic target.

reversibility   step, flip p (and ξ), step, flip again is the identity; at σ = 0 too
symplecticity   Fᵀ J F = J, for the Jacobian F by central differences, to 1e-8
"""

import torch
from torch import Tensor

from ...integrators import Integrator, scalars_of
from .probe import Setting, Silence, with_scalars
from .targets import coupled_quartic
from .verdict import Verdict, is_claimed

_POINTS = ((0.6, -0.45, 0.5, 0.35), (-0.3, 0.8, 0.2, -0.7))
_STEP = 0.3


def reversal_defect(integrator: Integrator) -> float:
    """Return how far a step, run back with flipped momenta, ends from where it began."""
    setting = Setting(integrator, coupled_quartic()).without_bath()
    states = torch.tensor(_POINTS, dtype=torch.float64)
    states = with_scalars(setting, states)
    flip = torch.tensor([1.0] * setting.num_params + [-1.0] * (states.shape[1] - 2))
    there = setting.step(states, _STEP, Silence())
    back = setting.step(there * flip, _STEP, Silence()) * flip
    return float((back - states).abs().max())


def symplecticity_defect(integrator: Integrator) -> float:
    """Return the size of Fᵀ J F − J."""
    setting = Setting(integrator, coupled_quartic()).without_bath()
    eye = torch.eye(setting.num_params, dtype=torch.float64)
    zero = torch.zeros_like(eye)
    form = torch.cat([torch.cat([zero, eye], 1), torch.cat([-eye, zero], 1)])
    jacobians = [_jacobian(setting, torch.tensor([p], dtype=torch.float64)) for p in _POINTS]
    return max(float((f.T @ form @ f - form).abs().max()) for f in jacobians)


def structure(integrator: Integrator) -> list[Verdict]:
    """Judge reversibility and symplecticity; a property that is not claimed is false too."""
    claims = integrator.claims
    reversibility = is_claimed(
        "reversibility", claims.is_time_reversible, reversal_defect(integrator), 1e-12
    )
    if scalars_of(integrator):  # a thermostat has no symplectic form to keep
        return [reversibility]
    return [
        reversibility,
        is_claimed("symplecticity", claims.is_symplectic, symplecticity_defect(integrator), 1e-8),
    ]


def _jacobian(setting: Setting, point: Tensor) -> Tensor:
    """Differentiate one step, to fourth order in the distance of the points."""
    eye = torch.eye(point.shape[1], dtype=point.dtype)
    size = 1e-3

    def slope(width: float) -> Tensor:
        ahead = setting.step(point + width * eye, _STEP, Silence())
        behind = setting.step(point - width * eye, _STEP, Silence())
        return (ahead - behind) / (2 * width)

    return ((4 * slope(size / 2) - slope(size)) / 3).T
