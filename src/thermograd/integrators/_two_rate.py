"""Two copies of the parameters, one with small steps and one with a large step, then their mean.

    once        v′ ← μ v′ − (∇U(q) + ω q);   q′ ← q + kh v′           the slow copy
    k times     v ← μ v − (∇U(q) + ω q);     q ← q + h v              the fast copy
    merge       q ← ½ (q + q′)

The first gradient of a cycle is taken where both copies are, and serves both.
"""

from dataclasses import dataclass

from .._foreach import add_, copy_, decay_add_
from ..state import Env, Part
from ._base import Update
from ._multirate import gradient


@dataclass(frozen=True, slots=True)
class TwoRate:
    """One call of the cycle.

    Attributes:
        ratio: k if the slow copy moves too, else 0.
        merges: whether the copies are averaged after the step.
    """

    ratio: int
    merges: bool

    def __call__(self, part: Part, h: float, env: Env) -> None:
        g, mu, scale = gradient(part), part.momentum or 0.0, part.force.scale
        copies = part.aux["copy"]
        if self.ratio:
            momenta = part.aux["copy_momenta"]
            decay_add_(momenta, g, mu, scale)
            copy_(copies, part.q)
            add_(copies, momenta, self.ratio * h)
        decay_add_(part.p, g, mu, scale)
        add_(part.q, part.p, h)
        if self.merges:
            decay_add_(part.q, copies, 0.5, 0.5)


def two_rate(k: int) -> tuple[Update, ...]:
    """Return the updates of the k calls of a cycle."""
    calls = [TwoRate(k if number == 0 else 0, number == k - 1) for number in range(k)]
    return tuple(
        Update(call, has_momenta=True, auxiliaries=("copy", "copy_momenta"), start=_start)
        for call in calls
    )


def _start(part: Part, env: Env) -> None:
    copy_(part.aux["copy"], part.q)
