"""How a compiled step is turned into machine code, where the compiler's own choice is slow.

    tanh   for float32 on a CPU: Lambert's continued fraction x/(1 + x²/(3 + x²/(5 + …))), cut
           after thirteen levels, for |x| ≤ 9; beyond, float32 cannot tell tanh from ±1

It is right to 5e-7 where torch's is right to 6e-8, and takes less time. Everything else
keeps torch's form, float64 throughout.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch._ops import OpOverload

__all__ = ["OPTIONS", "TABLE"]

LEVELS = 13
SATURATED = 9.0

# Results of eight operations and more are kept and not computed again in each loop that reads
# them: the moved positions would be, for every example of a batch.
OPTIONS: Mapping[str, int] = {"realize_opcount_threshold": 8}


def tanh(x: Tensor) -> Tensor:
    """Return tanh x."""
    if x.dtype is not torch.float32 or x.device.type != "cpu":
        return NotImplemented
    above, below = _fraction()
    clamped = x.clamp(-SATURATED, SATURATED)
    square = clamped * clamped
    return clamped * _polynomial(above, square) / _polynomial(below, square)


TABLE: Mapping[OpOverload, Callable[..., Tensor]] = {torch.ops.aten.tanh.default: tanh}


def _fraction() -> tuple[list[float], list[float]]:
    """Return P and Q of tanh x ≈ x P(x²)/Q(x²), lowest power first; both begin with 1."""
    # The recurrence of convergents: A_n = (2n − 1) A_{n−1} + x² A_{n−2}, and the same for B.
    above, below = ([0.0], [1.0]), ([1.0], [1.0])
    for level in range(2, LEVELS + 1):
        above = above[1], _next(above, 2 * level - 1)
        below = below[1], _next(below, 2 * level - 1)
    return [c / above[1][0] for c in above[1]], [c / below[1][0] for c in below[1]]


def _next(last: tuple[list[float], list[float]], factor: int) -> list[float]:
    shifted, scaled = [0.0, *last[0]], [factor * c for c in last[1]]
    size = max(len(shifted), len(scaled))
    shifted += [0.0] * (size - len(shifted))
    scaled += [0.0] * (size - len(scaled))
    return [x + y for x, y in zip(shifted, scaled, strict=True)]


def _polynomial(coefficients: list[float], z: Tensor) -> Tensor:
    total = z * coefficients[-1] + coefficients[-2]
    for coefficient in reversed(coefficients[:-2]):
        total = total * z + coefficient
    return total
