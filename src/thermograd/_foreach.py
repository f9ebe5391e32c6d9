"""Arithmetic over lists of tensors; every in-place change of a state goes through here."""
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch._utils import _flatten_dense_tensors
from torch.utils._python_dispatch import _len_torch_dispatch_stack

from ._workspace import Workspace

_SMALL = 1 << 14
_FEW = 8  # tensors, for which one call each is no loss
_TINY = 1 << 12


def add_(xs: Sequence[Tensor], ys: Sequence[Tensor], alpha: float) -> None:
    """Set x ← x + alpha y."""
    torch._foreach_add_(list(xs), list(ys), alpha=alpha)


def add(xs: Sequence[Tensor], ys: Sequence[Tensor], alpha: float) -> list[Tensor]:
    """Return x + alpha y."""
    return list(torch._foreach_add(list(xs), list(ys), alpha=alpha))


def decay_add_(xs: Sequence[Tensor], ys: Sequence[Tensor], decay: float, gain: float) -> None:
    """Set x ← decay x + gain y; a gain of 0 reads no y."""
    if decay != 1.0:
        torch._foreach_mul_(list(xs), decay)
    if gain != 0.0:
        torch._foreach_add_(list(xs), list(ys), alpha=gain)


def scale_(xs: Sequence[Tensor], factor: Tensor) -> None:
    """Set x ← factor x, with a factor for each walker, shape (W,)."""
    if factor.numel() == 1:
        torch._foreach_mul_(list(xs), factor.view(()))
    else:
        torch._foreach_mul_(list(xs), _beside(factor, xs))


def scale_add_(xs: Sequence[Tensor], ys: Sequence[Tensor], decay: Tensor, gain: Tensor) -> None:
    """Set x ← decay x + gain y, with coefficients for each walker, shape (W,)."""
    scale_(xs, decay)
    torch._foreach_addcmul_(list(xs), list(ys), _beside(gain, xs))


def copy_(xs: Sequence[Tensor], ys: Sequence[Tensor]) -> None:
    """Set x ← y."""
    torch._foreach_copy_(list(xs), list(ys))


def clone(xs: Sequence[Tensor]) -> list[Tensor]:
    """Return copies."""
    return [x.clone() for x in xs]


def sines(xs: Sequence[Tensor], radius: float, out: list[Tensor] | None = None) -> list[Tensor]:
    """Return sin(x / radius), in `out` if given."""
    return _wave(xs, radius, np.sin, torch._foreach_sin_, out)


def cosines(xs: Sequence[Tensor], radius: float, out: list[Tensor] | None = None) -> list[Tensor]:
    """Return cos(x / radius), in `out` if given."""
    return _wave(xs, radius, np.cos, torch._foreach_cos_, out)


def _wave(
    xs: Sequence[Tensor],
    radius: float,
    fast: np.ufunc,
    plain: Callable[[list[Tensor]], object],
    out: list[Tensor] | None,
) -> list[Tensor]:
    """Return a function of x / radius; in float32 on a CPU by numpy, in 2/5 of torch's time."""
    if out is None:
        angles = list(torch._foreach_mul(list(xs), 1.0 / radius))
    else:
        angles = [torch.mul(x, 1.0 / radius, out=y) for x, y in zip(xs, out, strict=True)]
    if _is_traced() or not is_packed(angles) or not angles[0].is_cpu:
        plain(angles)
        return angles
    for angle in angles:
        array = angle.detach().numpy()
        fast(array, out=array)
    return angles


def _is_traced() -> bool:
    """Whether torch writes down what is done, which it cannot of numpy."""
    return torch.compiler.is_compiling() or _len_torch_dispatch_stack() > 0


def mul_(xs: Sequence[Tensor], ys: Sequence[Tensor]) -> None:
    """Set x ← x y."""
    torch._foreach_mul_(list(xs), list(ys))


def blend(shares: Sequence[Tensor], low: float, high: float) -> list[Tensor]:
    """Return low where a share is 0 and high where it is 1."""
    mixed = list(torch._foreach_mul(list(shares), high - low))
    torch._foreach_add_(mixed, low)
    return mixed


def dot(xs: Sequence[Tensor], ys: Sequence[Tensor]) -> Tensor:
    """Return Σ x·y per walker, shape (W,)."""
    terms = [torch.linalg.vecdot(x.flatten(1), y.flatten(1)) for x, y in zip(xs, ys, strict=True)]
    return torch.stack(terms).sum(0)


def squares(xs: Sequence[Tensor], num_walkers: int) -> Tensor:
    """Return Σ x² per walker, shape (W,); for one walker small tensors are summed together."""
    if num_walkers > 1:
        return dot(xs, xs)
    small = [x for x in xs if x.numel() < _SMALL]
    rows = [x.flatten() for x in xs if x.numel() >= _SMALL]
    if small:
        rows.append(_flatten_dense_tensors(small))
    total = rows[0].dot(rows[0])
    for row in rows[1:]:
        total = total + row.dot(row)
    return total.view(1)


def choose_(mask: Tensor, xs: Sequence[Tensor], ys: Sequence[Tensor]) -> None:
    """Set x ← y for the walkers where `mask`, shape (W,), is false."""
    for x, y in zip(xs, ys, strict=True):
        x.copy_(torch.where(mask.view(-1, *[1] * (x.dim() - 1)), x, y))


def is_packed(*groups: Sequence[Tensor]) -> bool:
    """Tell whether all tensors are float32 and contiguous, so that `kick_drift_` may fuse.

    float64 is for exact work and keeps the plain formula.
    """
    for group in groups:
        for tensor in group:
            if tensor.dtype is not torch.float32 or not tensor.is_contiguous():
                return False
    return True


def kick_drift_(
    qs: list[Tensor],
    ps: list[Tensor],
    xs: list[Tensor],
    decay: float,
    gain: float,
    drift: float,
    packed: bool,
) -> None:
    """Set p ← decay p + gain x; q ← q + drift p; in one pass over memory if `packed`.

    The one pass is the kernel behind torch.optim.SGD(fused=True): its momentum buffer is p,
    its gradient x, and its dampening is 1 − gain. It skips the momentum when decay is 0.
    """
    if packed and decay != 0.0 and gain != 0.0 and is_packed(xs):
        torch._fused_sgd_(
            qs,
            xs,
            ps,
            weight_decay=0.0,
            momentum=decay,
            lr=-drift,
            dampening=1.0 - gain,
            nesterov=False,
            maximize=False,
            is_first_step=False,
        )
    else:
        decay_add_(ps, xs, decay, gain)
        add_(qs, ps, drift)


def nesterov_(
    qs: list[Tensor],
    ps: list[Tensor],
    xs: list[Tensor],
    sign: float,
    decay: float,
    drift: float,
    packed: bool,
) -> None:
    """Set p ← decay p + sign x; q ← q + drift (sign x + decay p); in one pass if `packed`.

    The sign is 1 or −1. The one pass is the kernel of torch.optim.SGD(nesterov=True, fused=True).
    """
    if packed and decay != 0.0 and is_packed(xs):
        torch._fused_sgd_(
            qs,
            xs,
            ps,
            weight_decay=0.0,
            momentum=decay,
            lr=-drift,
            dampening=0.0,
            nesterov=True,
            maximize=sign < 0,
            is_first_step=False,
        )
    else:
        decay_add_(ps, xs, decay, sign)
        ahead = torch._foreach_add(list(xs), ps, alpha=sign * decay)
        torch._foreach_add_(qs, ahead, alpha=sign * drift)


def added(xs: Sequence[Tensor], ys: Sequence[Tensor], alpha: float) -> list[Tensor]:
    """Return x + alpha y."""
    return list(torch._foreach_add(list(xs), list(ys), alpha=alpha))


def pulled(
    gs: Sequence[Tensor], ys: Sequence[Tensor], xs: Sequence[Tensor], gain: float, space: Workspace
) -> list[Tensor]:
    """Return g + gain (y − x), in scratch memory where fresh pages would cost more than the sum."""
    flat, found = space.like(ys)
    are_tiny = len(ys) > _FEW and flat.numel() < len(ys) * _TINY
    if are_tiny or xs[0].dtype is not ys[0].dtype:
        return added(gs, added(ys, xs, -1.0), gain)
    for g, y, x, d in zip(gs, ys, xs, found, strict=True):
        torch.sub(y, x, out=d)
        torch.add(g, d, alpha=gain, out=d)
    return found


def lerp_(xs: Sequence[Tensor], ys: Sequence[Tensor], weight: float) -> None:
    """Set x ← (1 − weight) x + weight y; at a weight of 1 this is y, bit for bit."""
    torch._foreach_lerp_(list(xs), list(ys), weight)


def addcmul_(xs: Sequence[Tensor], ys: Sequence[Tensor], zs: Sequence[Tensor], gain: float) -> None:
    """Set x ← x + gain y z."""
    torch._foreach_addcmul_(list(xs), list(ys), list(zs), gain)


def addcdiv_(xs: Sequence[Tensor], ys: Sequence[Tensor], zs: Sequence[Tensor], gain: float) -> None:
    """Set x ← x + gain y / z."""
    torch._foreach_addcdiv_(list(xs), list(ys), list(zs), gain)


def roots(xs: Sequence[Tensor], floor: float, scale: float) -> list[Tensor]:
    """Return scale √x + floor."""
    found = list(torch._foreach_sqrt(list(xs)))
    torch._foreach_mul_(found, scale)
    torch._foreach_add_(found, floor)
    return found


def all_finite(xs: Sequence[Tensor]) -> bool:
    """Tell whether no element is NaN or infinite; waits for the device.

    A sum is NaN or infinite if a summand is. The converse fails only when finite numbers
    overflow, so a bad sum is looked at again element by element. Small tensors are summed
    together: a call costs more than their elements.
    """
    if len(xs) > 1 and len(small := [x for x in xs if x.numel() < _SMALL]) > 1:
        xs = [x for x in xs if x.numel() >= _SMALL]
        xs.append(_flatten_dense_tensors(small))
    total = 0.0
    for x in xs:
        total += x.sum().item()
    return total - total == 0.0 or all(bool(torch.isfinite(x).all()) for x in xs)


def _beside(factor: Tensor, xs: Sequence[Tensor]) -> list[Tensor]:
    """Return views of a factor for each walker that broadcast against each x."""
    return [factor.view(-1, *[1] * (x.dim() - 1)) for x in xs]
