"""Orthogonal weights: QᵀQ = I, the Stiefel manifold, for matrices and convolutions.

Q is r × s with r ≥ s: the weight matrix, or its transpose if that is taller; a convolution
(out, in, ...) counts as the matrix out × (in · ...).

drift             Q̄ = Q + dt P/m;   Q ← Q̄ − QΛ with Λ symmetric and QᵀQ = I;
                  P ← Π(P − QΛ m/dt) at the new Q                          (RATTLE)
project_tangent   P ← Π P = P − ½ Q (QᵀP + PᵀQ)
retract           Q ← Q̄ − Q_old Λ with Λ symmetric and QᵀQ = I             (along the old point)
residual          max |QᵀQ − I|
degrees           r s − s(s + 1)/2 for each matrix

Λ solves an equation of s × s matrices,

    E(Λ) = E₀ − (H + Hᵀ),   H = Λ (M − ½Λ),   E₀ = Q̄ᵀQ̄ − I,   M = QᵀQ̄,   Λ ← Λ + ½ E(Λ)

so an iteration costs one product s × s × s, and only the products around it O(r s²): three for a
retraction, five for a drift. It starts at ½ E₀, which takes off to first order what a momentum that
is not tangent adds. E₀ is taken from the matrices as they are: the rounding of a step is corrected
by the next. The contraction per iteration is about dt |QᵀP|/m, and a solution exists only where
that is small; if none is found the positions are kept and an error says so. RATTLE is reversible,
symplectic and of second order.

References:
    Vlaar (2022), thesis, University of Edinburgh, eqs. (4.15), (4.49)-(4.57), whose Algorithms
    4.1 and 4.2 iterate on Q at O(r s²) a time; the fixed point is the same.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .._errors import ConvergenceError, ParameterError
from ..state import Params, Part
from ._base import Example

_ITERATIONS = 200
_LARGE = 1 << 16  # elements from which putting matrices together costs more than it saves
_SURE = 0.2  # an error that shrank so fast shrinks so again


@dataclass(frozen=True, slots=True)
class Orthogonal:
    """QᵀQ = I for each tensor."""

    @property
    def is_flat(self) -> bool:
        """It is curved."""
        return False

    @property
    def drift_projects(self) -> bool:
        """RATTLE takes a normal part of the momenta off."""
        return True

    @property
    def is_joint(self) -> bool:
        """Every matrix is orthogonal by itself."""
        return False

    def drift(self, part: Part, dt: float) -> None:
        moved: list[tuple[list[int], Tensor, Tensor]] = []
        far = dt / part.mass
        for members, q, p in _stacks(part.q, part.p):
            free = torch.add(q, p, alpha=far)
            multiplier = _solve(q.mT @ free, free.mT @ free, "drift", far)
            pull = _times(q, multiplier)
            end = free.sub_(pull)
            momenta = torch.sub(p, pull, alpha=1 / far, out=pull) if far else p
            moved.append((members, end, _tangent(end, momenta)))
        for members, q, p in moved:
            _unstack(part.q, members, q)
            _unstack(part.p, members, p)

    def project_tangent(self, part: Part) -> None:
        for members, q, p in _stacks(part.q, part.p):
            _unstack(part.p, members, _tangent(q, p))

    def retract(self, part: Part, old: Params) -> None:
        moved: list[tuple[list[int], Tensor]] = []
        for members, q, free in _stacks(old, part.q):
            try:
                multiplier = _solve(q.mT @ free, free.mT @ free, "overdamped move", None)
            except ConvergenceError:
                for tensor, before in zip(part.q, old, strict=True):
                    tensor.copy_(before)
                raise
            moved.append((members, free - _times(q, multiplier)))
        for members, q in moved:
            _unstack(part.q, members, q)

    def residual(self, part: Part) -> Tensor:
        return self.distance(part.q)

    def degrees_of_freedom(self, part: Part, num_walkers: int) -> int:
        total = 0
        for p in part.p:
            rows, columns = _matrix(p).shape[1:]
            total += rows * columns - columns * (columns + 1) // 2
        return total

    def check(self, q: Params, owner: str) -> None:
        for tensor in q:
            shape = tuple(tensor.shape[1:])
            if len(shape) < 2:
                raise ParameterError(f"{owner} of shape {shape} is no matrix, to be orthogonal")
            if min(_matrix(tensor).shape[1:]) < 2:
                raise ParameterError(
                    f"{owner} of shape {shape} has one row or column, whose orthogonality is a "
                    "norm of 1; use Sphere(1.0, per='tensor')"
                )

    def distance(self, q: Params) -> Tensor:
        off: list[Tensor] = []
        for tensor in q:
            matrix = _matrix(tensor)
            eye = torch.eye(matrix.shape[2], dtype=matrix.dtype, device=matrix.device)
            off.append((matrix.mT @ matrix - eye).abs().flatten(1).amax(1))
        return torch.stack(off).amax(0)

    def settle(self, q: Params) -> None:
        """Replace each matrix by the nearest orthogonal one, its polar factor."""
        for number, tensor in enumerate(q):
            matrix = _matrix(tensor)
            u, sizes, vh = torch.linalg.svd(matrix, full_matrices=False)
            small = float(sizes.amin())
            if small <= matrix.shape[1] * torch.finfo(matrix.dtype).eps * float(sizes.amax()):
                raise ParameterError(
                    f"a matrix of shape {tuple(tensor.shape[1:])} has no full rank (smallest "
                    f"singular value {small:.2g}), so no orthogonal one is nearest; start "
                    "elsewhere, as with torch.nn.init.orthogonal_"
                )
            _unstack(q, [number], u @ vh)


def _matrix(tensor: Tensor) -> Tensor:
    """Return (W, r, s) with r ≥ s; a view where the layout allows."""
    matrix = tensor.flatten(2) if tensor.dim() > 2 else tensor.unsqueeze(2)
    return matrix.mT if matrix.shape[1] < matrix.shape[2] else matrix


def _stacks(xs: Params, ys: Params) -> Iterator[tuple[list[int], Tensor, Tensor]]:
    """Yield small tensors of one shape together, others alone, with their places in the list."""
    places: dict[tuple[int, ...], list[int]] = {}
    for number, x in enumerate(xs):
        alone = (number,) if x.numel() > _LARGE else ()
        places.setdefault((*_flat_shape(x), *alone), []).append(number)
    for members in places.values():
        yield members, _stack([xs[k] for k in members]), _stack([ys[k] for k in members])


def _flat_shape(x: Tensor) -> tuple[int, ...]:
    return (*x.shape[:2], x[0, 0].numel())


def _stack(tensors: Params) -> Tensor:
    """Return matrices (n, r, s) with r ≥ s; wide ones are put together first, then transposed."""
    if len(tensors) == 1:
        return _matrix(tensors[0])
    return _matrix(torch.cat([tensor.reshape(_flat_shape(tensor)) for tensor in tensors]))


def _unstack(xs: Params, members: Sequence[int], stack: Tensor) -> None:
    """Write the parts of a stack back into the tensors they came from."""
    for k, part in zip(members, stack.chunk(len(members)), strict=True):
        flat = xs[k].flatten(2) if xs[k].dim() > 2 else xs[k].unsqueeze(2)
        shaped = part if flat.shape[1] >= flat.shape[2] else part.mT
        xs[k].copy_(shaped.reshape(xs[k].shape))


def _is_transposed(q: Tensor) -> bool:
    return q.stride(1) == 1 and q.stride(2) > 1


def _times(q: Tensor, symmetric: Tensor) -> Tensor:
    """Return Q S in the layout of Q."""
    return (symmetric @ q.mT).mT if _is_transposed(q) else q @ symmetric


def _tangent(q: Tensor, p: Tensor) -> Tensor:
    along = q.mT @ p
    twice = along + along.mT
    if _is_transposed(q):
        return torch.baddbmm(p.mT, twice, q.mT, alpha=-0.5).mT
    return torch.baddbmm(p, q, twice, alpha=-0.5)


def _solve(m: Tensor, gram: Tensor, what: str, far: float | None) -> Tensor:
    """Return the multiplier Λ for M = QᵀQ̄ and the Gram matrix of Q̄, which it overwrites.

    Raises:
        ConvergenceError: if none is found.
    """
    start = gram
    start.diagonal(dim1=1, dim2=2).sub_(1.0)
    multiplier = 0.5 * start
    tolerance = 4 * torch.finfo(gram.dtype).eps
    size = math.inf
    for _ in range(_ITERATIONS):
        half = multiplier @ torch.add(m, multiplier, alpha=-0.5)
        error = torch.sub(start, half).sub_(half.mT)
        last, size = size, float(error.abs().max())
        if not math.isfinite(size) or size > 1e3:
            break
        multiplier.add_(error, alpha=0.5)
        shrinks = size / last if last < math.inf else 1.0
        if size <= tolerance or (shrinks < _SURE and size * shrinks <= 0.5 * tolerance):
            return multiplier
        if last <= 64 * tolerance and shrinks >= 0.5:
            return multiplier  # as near as rounding allows
    step = "" if far is None else f" of dt/m = {far:.3g}"
    raise ConvergenceError(
        f"the projection of the {what}{step} on orthogonal matrices was not found (residual "
        f"{size:.2g} after at most {_ITERATIONS} iterations); the positions were kept. Take a "
        "smaller step size or temperature: dt |QᵀP| must stay well below 1"
    )


GEOMETRY = Example(Orthogonal(), shapes=((4, 3), (2, 3, 2, 1)))
