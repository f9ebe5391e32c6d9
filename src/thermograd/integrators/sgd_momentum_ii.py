"""SGD with momentum, type II: an averaged gradient; OBA at T = 0.

One step, in the order it runs:

    v ← μ v − (1 − μ) ∇U(q)
    q ← q + (h/m) v

With μ = exp(−γs) and h = s²/(1 − μ) it is OBA at T = 0 with step s.

References:
    Vlaar (2022), thesis, University of Edinburgh, Algorithm 2.2, with its coefficients corrected
    (docs/errata.md).
"""

from dataclasses import dataclass

from .._checks import require
from .._foreach import add_, decay_add_
from ..claims import Claims
from ..state import Env, Part
from ._base import Update


@dataclass(frozen=True, slots=True)
class _Momentum:
    momentum: float

    def __call__(self, part: Part, h: float, env: Env) -> None:
        mu, f = self.momentum, part.force
        decay_add_(part.p, f.tensors, mu, (1.0 - mu) * f.scale)
        add_(part.q, part.p, h / part.mass)


def sgd_momentum_ii(momentum: float) -> Update:
    """Make the method with this momentum, 0 ≤ μ < 1."""
    ok = 0.0 <= momentum < 1.0
    require(ok, "momentum", "sgd_momentum_ii", "in [0, 1)", momentum)
    return Update(_Momentum(momentum), claims=Claims(), has_momenta=True)


MAKE = sgd_momentum_ii
INTEGRATOR = sgd_momentum_ii(momentum=0.9)
