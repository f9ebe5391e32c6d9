"""Contract `gradients_per_step`: a counter in place of the target, in the long run.

Where a method draws the length of its path, the draws are equally spaced in probability.
"""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from ...integrators import Integrator
from ...potentials.base import Evaluator
from ...state import Env
from .probe import Setting, Silence
from .targets import coupled_quartic
from .verdict import Verdict

_GOLDEN = (math.sqrt(5) - 1) / 2


class Spread(Silence):
    """Silence whose uniforms go evenly through (0, 1).

    Attributes:
        choices: how many uniforms were drawn.
    """

    def __init__(self) -> None:
        super().__init__()
        self.choices = 0

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        """Return a small constant, so that paths go somewhere."""
        return [torch.full_like(tensor, 0.3) for tensor in super().normal(like)]

    def uniform(self, like: Tensor) -> Tensor:
        """Return the next member of a Kronecker sequence."""
        self.choices += 1
        return torch.full_like(like, (self.choices * _GOLDEN) % 1.0)


def gradients(integrator: Integrator, steps: int) -> dict[str | None, float]:
    """Count the evaluations of each term of the potential, per step, after the first step."""
    setting = Setting(integrator, coupled_quartic())
    evaluate, noise = Evaluator(setting.target.potential), Spread()
    env = Env(noise, evaluate)
    part = setting.part(torch.full((2, setting.num_moving), 0.2, dtype=torch.float64))
    integrator.init(part, env)
    integrator.step(part, 0.05, env)
    evaluate.counts.clear()
    for _ in range(steps):
        integrator.step(part, 0.05, env)
    return {name: count / steps for name, count in evaluate.counts.items()}


def gradients_per_step(integrator: Integrator) -> Verdict:
    """Judge the claimed number of gradients."""
    claimed = integrator.claims.gradients_per_step
    steps = 300 if integrator.claims.is_metropolised else 3
    found = gradients(integrator, steps)
    off = {abs(found.get(name, 0.0) - claimed.get(name, 0)) for name in {*claimed, *found}}
    # a path of random length has its mean to a fraction of a gradient
    ok = max(off, default=math.inf) <= (0.25 if steps > 3 else 0.0)
    return Verdict("gradients_per_step", _listed(claimed), _listed(found), _listed(claimed), ok)


def _listed(counts: Mapping[str | None, float]) -> str:
    names = sorted(counts, key=str)
    return ", ".join(f"{counts[k]:.3g}" + (f" {k}" if k else "") for k in names) or "none"
