"""SGD with momentum, type I: the step size inside the buffer; OBA at T = 0.

One step, in the order it runs:

    v ← μ v − (h/m) ∇U(q)
    q ← q + v

With μ = exp(−γs) and h = s² it is OBA at T = 0 with step s: v = sp. It differs from torch's form
only when h changes on the way.

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
        decay_add_(part.p, f.tensors, mu, f.scale * h / part.mass)
        add_(part.q, part.p, 1.0)


def sgd_momentum_i(momentum: float) -> Update:
    """Make the method with this momentum, 0 ≤ μ < 1."""
    ok = 0.0 <= momentum < 1.0
    require(ok, "momentum", "sgd_momentum_i", "in [0, 1)", momentum)
    return Update(_Momentum(momentum), claims=Claims(), has_momenta=True)


MAKE = sgd_momentum_i
INTEGRATOR = sgd_momentum_i(momentum=0.9)
