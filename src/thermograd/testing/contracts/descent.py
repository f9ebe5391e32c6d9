"""Contract `descent`, for methods that claim no dynamics: optimizers.

On a harmonic target, from rest: the method draws nothing, stays at the minimum, first moves along
the force, and comes closer to the minimum at every frequency.
"""

import torch

from ...integrators import Integrator
from .gaussian import spectral_radius
from .probe import Setting, Silence, read_step
from .targets import coupled_harmonic
from .verdict import Verdict

_STEP = 0.1


def descent(integrator: Integrator) -> Verdict:
    """Judge whether a method without dynamics goes down."""
    setting = Setting(integrator, coupled_harmonic())
    draws = setting.count_draws(_STEP)
    rest = torch.zeros(2, setting.num_state, dtype=torch.float64)
    rest[0, :2] = torch.tensor([0.6, -0.45])
    moved = setting.step(rest, _STEP, Silence()) - rest
    force = -setting.target.quadratic @ rest[0, :2]
    along = float(moved[0, :2] @ force / (moved[0, :2].norm() * force.norm()))
    radius = spectral_radius(read_step(setting, _STEP))
    ok = draws == 0 and float(moved[1].abs().max()) == 0.0 and along > 0.999 and radius < 1
    measured = f"{draws} draws, cosine to the force {along:.3g}, contracts by {radius:.6g}"
    return Verdict("descent", "no dynamics", measured, "no draw, cosine 1, less than 1", ok)
