"""A method on a tether: it runs on U(y) + |y − x|²/(2γ) and averages where it has been.

One step, in the order it runs, around a step of the method inside:

    f ← −∇U(y) − (y − x)/γ
    y ← one step of the method with the force f
    z ← α z + (1 − α) y

Its stationary law at temperature T is exp(−(U(y) + |y − x|²/(2γ))/T), the measure of local entropy
around x, so that (x − ⟨y⟩)/γ is the gradient of the local entropy. At γ = ∞ there is no tether.

References:
    Chaudhari (2018), thesis, eqs (3.8) and (5.8), signs corrected (docs/errata.md).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

from torch import Tensor

from .._checks import is_real, require
from .._foreach import copy_, lerp_, pulled
from .._workspace import Workspace
from ..state import Env, Params, Part
from ._forced import Forced

__all__ = ["ANCHOR", "AVERAGE", "Tethered", "average_", "check_scope"]

ANCHOR, AVERAGE = "outer", "average"


def check_scope(value: float, name: str, owner: str) -> float:
    """Return a scope or a coupling as a float; it must be above 0, and may be ∞."""
    ok = value == math.inf or (is_real(value) and value > 0)
    require(ok, name, owner, "above 0, or math.inf", value)
    return float(value)


def average_(z: Sequence[Tensor], y: Sequence[Tensor], averaging: float) -> None:
    """Set z ← α z + (1 − α) y; z may be of a wider dtype than y."""
    if z[0].dtype is not y[0].dtype:
        y = [new.to(old.dtype) for old, new in zip(z, y, strict=True)]
    lerp_(z, y, 1.0 - averaging)


@final
@dataclass(frozen=True, slots=True)
class Tethered(Forced):
    """A method on a tether of scope γ.

    Attributes:
        scope: γ > 0, or ∞ for no tether.
        averaging: α in [0, 1), the weight of the past; at 0 no average is kept, y is it.
        space: scratch.
    """

    scope: float = math.inf
    averaging: float = 0.0
    space: Workspace = field(default_factory=Workspace, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_scope(self.scope, "scope", "Tethered")
        ok = is_real(self.averaging) and 0.0 <= self.averaging < 1.0
        require(ok, "averaging", "Tethered", "in [0, 1)", self.averaging)

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """Those of the method, then x and, if there is one, z."""
        kept = (AVERAGE,) if self.averaging else ()
        return (*self.method.auxiliaries, ANCHOR, *kept)

    def init(self, part: Part, env: Env) -> None:
        """Prepare the method, and tie the part to where it is."""
        self.method.init(part, env)
        copy_(part.aux[ANCHOR], part.q)
        if self.averaging:
            copy_(part.aux[AVERAGE], part.q)

    def pushed(self, part: Part, env: Env) -> Params:
        """Return the force with the pull of the tether."""
        if math.isinf(self.scope):
            return part.force.tensors
        x, gain = part.aux[ANCHOR], -1.0 / (self.scope * part.force.scale)
        return pulled(part.force.tensors, part.q, x, gain, self.space)

    def moved(self, part: Part) -> None:
        """Average."""
        if self.averaging:
            average_(part.aux[AVERAGE], part.q, self.averaging)
