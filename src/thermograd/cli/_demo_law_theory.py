"""What the methods of the demo should measure in the harmonic well, in closed form.

At T = k = m = 1, at the end of a step, with s = h²/4:

    BAOAB   ⟨q²⟩ = 1              ⟨p²⟩ = 1 − s
    OBABO   ⟨q²⟩ = 1/(1 − s)      ⟨p²⟩ = 1
    SGLD    ⟨q²⟩ = 1/(1 − h/2)
"""

import math
from collections.abc import Callable, Mapping, Sequence

from ..integrators import get

Line = tuple[tuple[float, float], ...]

_FORMULAS: Mapping[tuple[str, str], Callable[[float], float]] = {
    ("BAOAB", "⟨q²⟩"): lambda h: 1.0,
    ("BAOAB", "⟨p²⟩"): lambda h: 1 - h * h / 4,
    ("OBABO", "⟨q²⟩"): lambda h: 1 / (1 - h * h / 4),
    ("OBABO", "⟨p²⟩"): lambda h: 1.0,
    ("SGLD", "⟨q²⟩"): lambda h: 1 / (1 - h / 2),
}

POINTS = 61
MARGIN = 1.05


def predicted(method: str, name: str, h: float) -> float:
    """Return the average that `method` has at step size h."""
    return _FORMULAS[method, name](h)


def theory_line(method: str, largest: float) -> Line:
    """Return the predicted bias of ⟨q²⟩ up to just above the largest step size."""
    return tuple((h, predicted(method, "⟨q²⟩", h) - 1) for h in _grid(largest))


def fitted_line(
    method: str, steps: Sequence[float], bias: Sequence[float], errors: Sequence[float]
) -> Line:
    """Return c hᵏ + d h²ᵏ with the claimed order k, fitted by weighted least squares."""
    order = get(method.lower()).claims.stationary_order or 0
    powers = (order, 2 * order)
    data = list(zip(steps, bias, errors, strict=True))

    def moment(power: int) -> float:
        return math.fsum(h**power / error**2 for h, _, error in data)

    first, second = (math.fsum(h**k * y / error**2 for h, y, error in data) for k in powers)
    a, b, d = moment(2 * order), moment(3 * order), moment(4 * order)
    low, high = (
        (d * first - b * second) / (a * d - b * b),
        (a * second - b * first) / (a * d - b * b),
    )
    return tuple((h, low * h**order + high * h ** (2 * order)) for h in _grid(steps[-1]))


def _grid(largest: float) -> list[float]:
    return [MARGIN * largest * number / (POINTS - 1) for number in range(POINTS)]
