"""SGD in which random elements are slow: at 0 for k steps, then moved by one larger step.

    joint       q ← q − h (1 + (k − 1) s) ∇U(q);   then s ~ Bernoulli(p), r ← s q, q ← (1 − s) q
    k times     q ← q − h (1 − s) ∇U(q)
    wake        q ← q + r

s marks the slow elements and r keeps their values; products are element by element.
"""

from dataclasses import dataclass

from .._foreach import add_, blend, copy_, decay_add_, mul_
from ..state import Env, Part
from ._base import Update


@dataclass(frozen=True, slots=True)
class Deactivation:
    """One call of the cycle.

    Attributes:
        probability: p.
        slow_factor: step of the slow elements over that of the others.
        is_last: whether slow elements wake after the step.
        draws: whether new slow elements are drawn then, and put to sleep.
    """

    probability: float
    slow_factor: float
    is_last: bool
    draws: bool

    def __call__(self, part: Part, h: float, env: Env) -> None:
        f = part.force
        step = blend(part.aux["slow"], 1.0, self.slow_factor)
        mul_(step, f.tensors)
        add_(part.q, step, h * f.scale)
        if self.is_last:
            wake_(part)
        if self.draws:
            self._draw(part, env)

    def _draw(self, part: Part, env: Env) -> None:
        wake_(part)
        slow, kept = part.aux["slow"], part.aux["kept"]
        copy_(slow, [(env.noise.uniform(q) < self.probability).to(q.dtype) for q in part.q])
        copy_(kept, part.q)
        mul_(kept, slow)
        add_(part.q, kept, -1.0)


def wake_(part: Part) -> None:
    """Give elements that sleep their values back."""
    kept = part.aux["kept"]
    add_(part.q, kept, 1.0)
    decay_add_(kept, kept, 0.0, 0.0)


def deactivation(probability: float, k: int, joint: bool) -> tuple[Update, ...]:
    """Return the updates of the calls of a cycle: the joint step if there is one, then k others."""
    calls = [
        Deactivation(probability, 0.0, is_last=number == k - 1, draws=number == k - 1 and not joint)
        for number in range(k)
    ]
    first = [Deactivation(probability, float(k), is_last=False, draws=True)] if joint else []
    return tuple(Update(call, auxiliaries=("slow", "kept")) for call in (*first, *calls))
