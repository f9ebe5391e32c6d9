"""SGD with Nesterov's momentum in torch's form.

One step, in the order it runs:

    v ← μ v − ∇U(q)
    q ← q + (h/m) (μ v − ∇U(q))

This is torch's SGD(lr=h, momentum=μ, nesterov=True) with −v its buffer. The inner loop of
Entropy-SGD takes it heated: q moves by √(2Th/m) ξ besides, with ξ ~ N(0, I), which does not enter
the momentum; at μ = 0 that is SGLD.

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
    is_heated: bool

    def __call__(self, part: Part, h: float, env: Env) -> None:
        mu, f, dt = self.momentum, part.force, h / part.mass
        nesterov_(part.q, part.p, f.tensors, f.scale, mu, dt, part.is_packed)
        if self.is_heated and not part.is_cold:
            size, xi = thermal_noise(part, 2 * dt, part.q, env)
            add_(part.q, xi, size)


def nesterov(momentum: float, *, is_heated: bool = False) -> Update:
    """Make the method with this momentum, 0 ≤ μ < 1, with noise or without."""
    ok = 0.0 <= momentum < 1.0
    require(ok, "momentum", "nesterov", "in [0, 1)", momentum)
    return Update(_Nesterov(momentum, is_heated), claims=Claims(), has_momenta=True)


MAKE = nesterov
INTEGRATOR = nesterov(momentum=0.9)
