"""The two time scales of local entropy: a slow x and a fast y, moved together.

As ε → 0 the slow x follows dx = −∇f_γ(x) ds, the gradient flow of the local entropy at temperature
T. Two forms of the same limit, each one step of size h with one gradient:

    coupled   y ← y − (h/ε) [∇U(y) + (y − x)/γ] + √(2Th/ε) ξ
              x ← x − (h/γ) (x − y)                         the gradient is taken at y
    force     y ← y − (h/ε) [y/γ − ∇U(x − y)] + √(2Th/ε) ξ
              x ← x − h ∇U(x − y)                           the gradient is taken at x − y

Both right-hand sides are those before the step. The noise is the one for exp(−f/T); the source
prints one for exp(−2f/T) (docs/errata.md).

References:
    Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y, section 3; thesis, eq. (4.21).
"""

from dataclasses import dataclass
from typing import Literal

from .._checks import one_of, positive
from .._foreach import add_, added, copy_
from ..claims import Claims
from ..integrators import Update
from ..state import Env, Part, thermal_noise
from .tethered import ANCHOR

__all__ = ["Form", "viscous"]

Form = Literal["coupled", "force"]


@dataclass(frozen=True, slots=True)
class _Coupled:
    scope: float
    ratio: float

    def __call__(self, part: Part, h: float, env: Env) -> None:
        x, y, fast = part.aux[ANCHOR], part.q, h / self.ratio
        gap = added(x, y, -1.0)
        add_(y, part.force.tensors, fast * part.force.scale)
        add_(y, gap, fast / self.scope)
        add_(x, gap, -h / self.scope)
        if not part.is_cold:
            size, xi = thermal_noise(part, 2 * fast, y, env)
            add_(y, xi, size)


@dataclass(frozen=True, slots=True)
class _Force:
    scope: float
    ratio: float

    def __call__(self, part: Part, h: float, env: Env) -> None:
        # held is q = x − y:  q ← q − h ∇U − (h/ε)(∇U − y/γ) − noise
        x, fast = part.aux[ANCHOR], h / self.ratio
        y = added(x, part.q, -1.0)
        add_(x, part.force.tensors, h * part.force.scale)
        add_(part.q, part.force.tensors, (h + fast) * part.force.scale)
        add_(part.q, y, fast / self.scope)
        if not part.is_cold:
            size, xi = thermal_noise(part, 2 * fast, part.q, env)
            add_(part.q, xi, -size)


def _tie(part: Part, env: Env) -> None:
    copy_(part.aux[ANCHOR], part.q)


def viscous(scope: float, ratio: float, form: Form = "coupled") -> Update:
    """Make the pair; γ and ε above 0."""
    owner = "viscous"
    positive(scope, "scope", owner)
    ok_ratio = positive(ratio, "ratio", owner)
    one_of(form, ("coupled", "force"), "form", owner)
    update = _Coupled if form == "coupled" else _Force
    made = update(scope, ok_ratio)
    return Update(made, claims=Claims(), auxiliaries=(ANCHOR,), start=_tie)
