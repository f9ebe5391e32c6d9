"""Contracts on what must not matter: how states are laid out, and the floating-point type.

walkers     a walker among others moves as it does alone
layout      one tensor of two columns moves as two tensors, for element-wise methods
precision   float32 agrees with float64 to 1e-5
"""

import torch
from torch import Tensor

from ...integrators import Integrator, scalars_of
from ...potentials.base import Evaluator
from ...sampling.engine import make_part
from ...state import Env
from .probe import Setting, script, state_of
from .targets import coupled_quartic
from .verdict import Verdict, holds

_STEP = 0.2


def invariance(integrator: Integrator) -> list[Verdict]:
    """Judge the invariances that every method promises."""
    setting = Setting(integrator, coupled_quartic())
    states, variates = grid(setting)
    moved = setting.play(states, _STEP, variates)
    alone = [
        setting.play(states[i : i + 1], _STEP, variates[i : i + 1]) for i in range(len(states))
    ]
    low = setting.play(states.float(), _STEP, variates.float()).double()
    verdicts = [
        holds("walkers", "move alone as together", _gap(torch.cat(alone), moved), 1e-14),
        holds("precision", "float32 as float64", _gap(low, moved), 1e-5),
    ]
    if getattr(integrator, "is_elementwise", False):
        joined = _joined(setting, states, variates)
        verdicts.append(holds("layout", "one tensor as two", _gap(joined, moved), 1e-14))
    return verdicts


def grid(setting: Setting, steps: int = 1) -> tuple[Tensor, Tensor]:
    """Return three states and noise for some steps, spread without a pattern.

    What a method carries beside positions and momenta is above 0, as squares and counts are.
    """
    num_noise = steps * setting.count_draws(_STEP) * setting.num_params
    total = setting.num_state + num_noise
    spread = torch.sin(2.4 * torch.arange(1, 3 * total + 1, dtype=torch.float64)).reshape(3, -1)
    states, moving = spread[:, : setting.num_state], setting.num_moving
    own = moving - len(scalars_of(setting.integrator))
    states = torch.cat([states[:, :own], states[:, own:].abs()], dim=1)
    return states, spread[:, setting.num_state :]


def _joined(setting: Setting, states: Tensor, variates: Tensor) -> Tensor:
    """Step with all coordinates in one tensor."""
    d, integrator = setting.num_params, setting.integrator
    blocks = [block.clone() for block in states.split(d, dim=1)]
    part = make_part(
        integrator,
        blocks[:1],
        friction=setting.friction,
        temperature=setting.temperature,
        mass=setting.mass,
    )
    num_moving = 1 + integrator.has_momenta
    part.p = blocks[1:num_moving]
    part.aux = {name: [blocks[num_moving + k]] for k, name in enumerate(integrator.auxiliaries)}
    noise = script(variates, d)
    noise.entries = [[torch.cat(entry, dim=1)] for entry in noise.entries]
    integrator.step(part, _STEP, Env(noise, Evaluator(setting.target.potential)))
    return state_of(part)


def _gap(a: Tensor, b: Tensor) -> float:
    return float((a - b).abs().max())
