"""SGD with Nesterov's momentum in torch's form, and with SGLD's noise if T > 0.

One step, in the order it runs:

    v ← μ v − ∇U(q)
    q ← q + (h/m) (μ v − ∇U(q)) + √(2Th/m) ξ,   ξ ~ N(0, I)

At T = 0 this is torch's SGD(lr=h, momentum=μ, nesterov=True) with −v its buffer; at μ = 0 it is
SGLD. The noise does not enter the momentum. It is the inner loop of Entropy-SGD.

References:
    Nesterov (1983), Soviet Mathematics Doklady 27, 372-376.
    Chaudhari et al. (2017), arXiv:1611.01838, section 4.
"""

from dataclasses import dataclass

from .._checks import require
from .._foreach import add_, nesterov_
from ..claims import Claims
from ..state import Env, Part, thermal_noise
from ._base import Update


@dataclass(frozen=True, slots=True)
class _Nesterov:
    momentum: float

    def __call__(self, part: Part, h: float, env: Env) -> None:
        mu, f, dt = self.momentum, part.force, h / part.mass
        nesterov_(part.q, part.p, f.tensors, f.scale, mu, dt, part.is_packed)
        if not part.is_cold:
            size, xi = thermal_noise(part, 2 * dt, part.q, env)
            add_(part.q, xi, size)


def nesterov(momentum: float) -> Update:
    """Make the method with this momentum, 0 ≤ μ < 1."""
    ok = 0.0 <= momentum < 1.0
    require(ok, "momentum", "nesterov", "in [0, 1)", momentum)
    return Update(_Nesterov(momentum), claims=Claims(), has_momenta=True)


MAKE = nesterov
INTEGRATOR = nesterov(momentum=0.9)
