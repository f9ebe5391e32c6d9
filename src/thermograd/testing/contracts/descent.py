"""Contract `descent`, for methods that claim no dynamics: optimizers.

On a harmonic target, from rest: the method draws nothing, stays at the minimum, and

    where a step is linear in the state   first moves along the force, and comes closer to the
                                          minimum at every frequency
    elsewhere                             first moves along the force in every coordinate, and
                                          is a tenth as far from the minimum after many steps
"""

import torch
from torch import Tensor

from ...integrators import Integrator
from .gaussian import spectral_radius
from .probe import Setting, Silence, read_step
from .targets import coupled_harmonic
from .verdict import Verdict

_STEP = 0.1
_MANY = 2000


def descent(integrator: Integrator) -> Verdict:
    """Judge whether a method without dynamics goes down."""
    setting = Setting(integrator, coupled_harmonic())
    draws = setting.count_draws(_STEP)
    rest = torch.zeros(3, setting.num_state, dtype=torch.float64)
    rest[0, :2] = torch.tensor([0.6, -0.45])
    rest[2] = 2 * rest[0]
    moved = setting.step(rest, _STEP, Silence()) - rest
    stays = draws == 0 and float(moved[1, :2].abs().max()) == 0.0
    if float((moved[2] - 2 * moved[0])[:2].abs().max()) > 1e-12:
        return _nonlinear(setting, rest[:1], moved[0, :2], stays)
    force = -setting.target.quadratic @ rest[0, :2]
    along = float(moved[0, :2] @ force / (moved[0, :2].norm() * force.norm()))
    radius = spectral_radius(read_step(setting, _STEP))
    ok = stays and along > 0.999 and radius < 1
    measured = f"{draws} draws, cosine to the force {along:.3g}, contracts by {radius:.6g}"
    return Verdict("descent", "no dynamics", measured, "no draw, cosine 1, less than 1", ok)


def _nonlinear(setting: Setting, rest: Tensor, moved: Tensor, stays: bool) -> Verdict:
    force = -setting.target.quadratic @ rest[0, :2]
    is_downhill = bool((moved * force > 0).all())
    part, env = setting.ready(rest, Silence())
    for _ in range(_MANY):
        setting.integrator.step(part, _STEP, env)
    share = float(torch.cat(part.q, 1).norm() / rest[0, :2].norm())
    measured = f"downhill {is_downhill}, {share:.2g} of the distance left"
    ok = stays and is_downhill and share < 0.1
    expected = "no draw, downhill True, less than 0.1"
    return Verdict("descent", "no dynamics", measured, expected, ok)
