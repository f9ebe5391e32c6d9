"""How a compiled step is turned into machine code, where the compiler's own choice is slow.

    tanh      for float32 on a CPU: x P(x²)/Q(x²), of degree 4 in x² above and below, for
              |x| ≤ 8.5; beyond, float32 cannot tell tanh from ±1
    a @ b     on a CPU, where the rows of `a`, the columns of `b` or what is summed over are one
              or two: as loops, which are fused with what is around them; a product of the
              library is a call for each, and slow for batches of small ones; where `a` is
              transposed and `b` has fewer than 16 columns, as (bᵀ aᵀ)ᵀ

That tanh is right to 5e-7 where torch's is right to 6e-8, and takes less time. Its coefficients
are those of least relative error (1.3e-8), found by linear programming. The gradient of a linear
layer's weights is such an aᵀ b, with as many columns as the layer has outputs; the library reads
a across its rows for it, which takes 4 to 10 times as long. Everything else keeps torch's form,
float64 throughout.
"""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor
from torch._ops import OpOverload

__all__ = ["OPTIONS", "TABLE"]

SATURATED = 8.5
ABOVE = (0.9999999876, 0.1341591642, 0.003537171504, 2.130160017e-5, 1.433705821e-8)
BELOW = (1.0, 0.4674923932, 0.02603478541, 3.353956863e-4, 8.173348408e-7)
FEW, NARROW = 2, 16

# Results of eight operations and more are kept and not computed again in each loop that reads
# them: the moved positions would be, for every example of a batch. A product and a sum may be
# rounded once together. The shapes need no look at every call: state and tape keep theirs.
OPTIONS: Mapping[str, str | int] = {
    "realize_opcount_threshold": 8,
    "cpp.enable_floating_point_contract_flag": "fast",
    "size_asserts": False,
}


def tanh(x: Tensor) -> Tensor:
    """Return tanh x."""
    if x.dtype is not torch.float32 or x.device.type != "cpu":
        return NotImplemented
    clamped = x.clamp(-SATURATED, SATURATED)
    square = clamped * clamped
    return clamped * _polynomial(ABOVE, square) / _polynomial(BELOW, square)


def product(a: Tensor, b: Tensor) -> Tensor:
    """Return a @ b of matrices, or of as many on a first axis."""
    if a.device.type != "cpu" or a.dtype not in (torch.float32, torch.float64):
        return NotImplemented
    rows, terms, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    if 0 in (rows, terms, columns):
        return NotImplemented
    if terms <= FEW:
        if b.stride(-1) != 1:  # the rows of a transposed matrix, side by side
            b = torch.stack(b.unbind(-2), -2)
        total = a[..., :1] * b[..., :1, :]
        for k in range(1, terms):
            total = total + a[..., k : k + 1] * b[..., k : k + 1, :]
        return total
    if rows <= FEW:
        return torch.stack([(row.unsqueeze(-1) * b).sum(-2) for row in a.unbind(-2)], -2)
    is_transposed = a.stride(-2) == 1 and a.stride(-1) > 1
    if is_transposed and FEW < columns < NARROW <= rows:
        return (b.mT @ a.mT).mT
    if columns <= FEW:
        return torch.stack([(a * column.unsqueeze(-2)).sum(-1) for column in b.unbind(-1)], -1)
    return NotImplemented


def sum_and_product(
    c: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """Return beta c + alpha a @ b."""
    found = product(a, b) if (beta, alpha) == (1, 1) else NotImplemented
    return found if found is NotImplemented else c + found


TABLE: Mapping[OpOverload, Callable[..., Tensor]] = {
    torch.ops.aten.tanh.default: tanh,
    torch.ops.aten.mm.default: product,
    torch.ops.aten.bmm.default: product,
    torch.ops.aten.addmm.default: sum_and_product,
    torch.ops.aten.baddbmm.default: sum_and_product,
}


def _polynomial(coefficients: Sequence[float], z: Tensor) -> Tensor:
    total = z * coefficients[-1] + coefficients[-2]
    for coefficient in reversed(coefficients[:-2]):
        total = total * z + coefficient
    return total
