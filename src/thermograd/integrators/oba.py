"""OBA: first-order Langevin dynamics; SGD with momentum is its zero-temperature case.

One step, in the order it runs:

    O   p ← c p + √(m T (1 − c²)) ξ
    B   p ← p − h ∇U(q)
    A   q ← q + h p / m

with c = exp(−γh) and ξ ~ N(0, I) drawn afresh at each O.

Costs one gradient a step. At T = 0 it is SGD with momentum exp(−γh) and learning rate h². As γ → ∞
the positions follow Euler-Maruyama with step h² at temperature T/2, not T. The coefficients that
the source prints for both correspondences are misprints; see docs/errata.md.

References:
    Vlaar (2022), thesis, University of Edinburgh, Algorithms 2.1-2.3.
"""

import math

from ..claims import Claims, Limit
from ..splitting import Word

INTEGRATOR = Word.from_word(
    "OBA",
    claims=Claims(
        dynamics="langevin",
        weak_order=1,
        stationary_order=1,
        is_symplectic=True,
        limits=(
            Limit(
                at="temperature = 0",
                method="sgd_momentum",
                says="torch's SGD: lr = h², momentum = exp(−γh); its buffer is −p/h",
                step_size=lambda h, g: h * h,
                options=lambda h, g: {"momentum": math.exp(-g * h)},
            ),
            Limit(
                at="temperature = 0",
                method="sgd_momentum_i",
                says="type I: δt = h², μ = exp(−γh); v = hp",
                step_size=lambda h, g: h * h,
                options=lambda h, g: {"momentum": math.exp(-g * h)},
            ),
            Limit(
                at="temperature = 0",
                method="sgd_momentum_ii",
                says="type II: δt = h²/(1 − exp(−γh)), μ = exp(−γh)",
                step_size=lambda h, g: -h * h / math.expm1(-g * h),
                options=lambda h, g: {"momentum": math.exp(-g * h)},
            ),
            Limit(
                at="friction = ∞",
                method="euler_maruyama",
                says="positions: step h² at half the temperature",
                step_size=lambda h, g: h * h,
                temperature=0.5,
            ),
        ),
    ),
)
