"""Level sets: g(q) = 0 for any differentiable function g of the tensors of one walker.

G is the Jacobian of g, m × d, by automatic differentiation.

drift             q̄ = q + dt p/m;   q ← q̄ − G(q)ᵀλ with g = 0 at the new q;
                  p ← Π(p − G(q)ᵀλ m/dt) there                              (RATTLE)
project_tangent   p ← Π p = p − Gᵀ (G Gᵀ)⁻¹ G p
retract           q ← q̄ − G(q_old)ᵀλ with g = 0 at the new q               (along the old point)
residual          max |g|
degrees           d − m

λ is found by Newton's method with the matrix G(q̄) G(q)ᵀ. A move counts only if the same move back
from its end, with the momenta turned, returns to its start: else a projection that jumped to
another sheet would spoil the law. For a move that is not found or does not return, `on_failure`
says: "raise", with nothing changed; or "reverse": that walker stays where it is, with its momenta
turned (an overdamped one just stays). Turning keeps the law of the drift exact.

Where G loses rank there is no tangent space: an error names the singular value.

References:
    Vlaar (2022), thesis, University of Edinburgh, eqs. (4.1), (4.23), (4.41), (4.44), (4.45).
    Zappa, Holmes-Cerfon and Goodman (2018), doi:10.1002/cpa.21783, for the move back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor
from torch.func import vjp, vmap

from .._checks import one_of, require
from .._errors import ConvergenceError, ParameterError
from ..state import Params, Part
from ._base import Example

_ITERATIONS = 30
_RANK = 10  # squares of singular values this many roundings apart count as lost rank


@dataclass(frozen=True, slots=True, repr=False)
class LevelSet:
    """g(q) = 0.

    Attributes:
        constraint: g, from the tensors of one walker to a tensor of shape (m,).
        on_failure: what to do about a move without a projection: "raise" or "reverse".
    """

    constraint: Callable[..., Tensor]
    on_failure: str = "raise"

    def __post_init__(self) -> None:
        ok = callable(self.constraint)
        require(ok, "constraint", "LevelSet", "a function of tensors", self.constraint)
        one_of(self.on_failure, ("raise", "reverse"), "on_failure", "LevelSet")

    @property
    def is_flat(self) -> bool:
        """It is curved."""
        return False

    @property
    def drift_projects(self) -> bool:
        """Its Newton iteration wants to start near by."""
        return False

    @property
    def is_joint(self) -> bool:
        """G sees all tensors at once."""
        return True

    def __repr__(self) -> str:
        return f"LevelSet({getattr(self.constraint, '__name__', type(self.constraint).__name__)})"

    def drift(self, part: Part, dt: float) -> None:
        q, p, far = _join(part.q), _join(part.p), dt / part.mass
        new_q, new_p, found, left = self._rattle(q, p, far, part.q)
        back_q, _, returns, _ = self._rattle(new_q, -new_p, far, part.q)
        scale = q.abs().amax(1).clamp(min=1)
        returns &= (back_q - q).abs().amax(1) <= _loose(q.dtype) * scale
        self._judge(part, found & returns, left, f"drift of dt/m = {far:.3g}")
        _split((found & returns)[:, None], new_q, q, part.q)
        _split((found & returns)[:, None], new_p, -p, part.p)

    def project_tangent(self, part: Part) -> None:
        q, p = _join(part.q), _join(part.p)
        _split(None, _tangent(self._jacobian(q, part.q), p), p, part.p)

    def retract(self, part: Part, old: Params) -> None:
        q, free = _join(old), _join(part.q)
        new, _, found, left = self._project(q, free, old)
        found &= self._returns(q, free, new, old)
        _split(None, q, q, part.q)
        self._judge(part, found, left, "overdamped move")
        _split(found[:, None], new, q, part.q)

    def residual(self, part: Part) -> Tensor:
        return self.distance(part.q)

    def degrees_of_freedom(self, part: Part, num_walkers: int) -> int:
        count = sum(p.numel() for p in part.p) // num_walkers
        return count - self._values(_join(part.q)[:1], part.q).shape[1]

    def check(self, q: Params, owner: str) -> None:
        one = [tensor[0] for tensor in q]
        try:
            value = self.constraint(*one)
        except Exception as error:
            raise ParameterError(
                f"the constraint of {owner} fails on tensors of shapes "
                f"{[tuple(t.shape) for t in one]}: {type(error).__name__}: {error}"
            ) from error
        shape = tuple(value.shape)
        ok = len(shape) == 1 and 0 < shape[0] < sum(t.numel() for t in one)
        require(ok, "constraint", owner, "of shape (m,) with 0 < m < number of weights", shape)

    def distance(self, q: Params) -> Tensor:
        return self._values(_join(q), q).abs().amax(1)

    def settle(self, q: Params) -> None:
        """Go to a near point of the set by Gauss-Newton steps, with G at each new point."""
        x = _join(q)
        worst = float(self._values(x, q).abs().max())
        for _ in range(_ITERATIONS):
            if worst <= 4 * torch.finfo(x.dtype).eps:
                break
            jacobian, values = self._jacobian(x, q), self._values(x, q)
            step = torch.linalg.solve(jacobian @ jacobian.mT, values)
            x = x - (jacobian.mT @ step[..., None])[..., 0]
            worst = float(self._values(x, q).abs().max())
        if not worst <= _loose(x.dtype):
            raise ConvergenceError(
                f"no point with g(q) = 0 was found near the start (residual {worst:.2g} after "
                f"{_ITERATIONS} steps); start nearer to the set"
            )
        _split(None, x, x, q)

    def _rattle(self, q: Tensor, p: Tensor, far: float, like: Params) -> tuple[Tensor, ...]:
        new, pull, found, left = self._project(q, q + far * p, like)
        momenta = p - pull / far if far else p
        safe = torch.where(found[:, None], new, q)
        return safe, _tangent(self._jacobian(safe, like), momenta), found, left

    def _project(self, q: Tensor, free: Tensor, like: Params) -> tuple[Tensor, ...]:
        """Return free − G(q)ᵀλ, the part taken off, which walkers are on the set, and max |g|."""
        normals, eps = self._jacobian(q, like), torch.finfo(q.dtype).eps
        new, last = free, torch.full_like(q[:, 0], torch.inf)
        for _ in range(_ITERATIONS):
            values, jacobian = self._look(new, like)
            size = values.abs().amax(1)
            if bool(((size <= 4 * eps) | ((size <= 256 * eps) & (size >= 0.5 * last))).all()):
                break
            solution, _ = torch.linalg.solve_ex(jacobian @ normals.mT, values)
            new = new - (normals.mT @ solution[..., None])[..., 0]
            last = size
        left = self._values(new, like).abs().amax(1)
        return new, free - new, (left <= _loose(q.dtype)) & new.isfinite().all(1), left

    def _returns(self, q: Tensor, free: Tensor, new: Tensor, like: Params) -> Tensor:
        """Tell whether the way back from `new`, by minus the tangent part of the way, ends at q.

        The way there is free − new = G(q)ᵀλ off a tangent vector at q; back, the tangent vector
        at `new` that leads to q up to a normal vector of `new` is that part of q − new.
        """
        safe = torch.where(new.isfinite(), new, q)
        back = _tangent(self._jacobian(safe, like), q - safe)
        end, _, found, _ = self._project(safe, safe + back, like)
        scale = q.abs().amax(1).clamp(min=1)
        return found & ((end - q).abs().amax(1) <= _loose(q.dtype) * scale)

    def _judge(self, part: Part, ok: Tensor, left: Tensor, what: str) -> None:
        part.records["reversals"] = (~ok).to(left.dtype)
        if self.on_failure == "reverse" or bool(ok.all()):
            return
        worst = float(left[~ok].nan_to_num(nan=torch.inf).max())
        raise ConvergenceError(
            f"the {what} of {int((~ok).sum())} of {ok.numel()} walkers has no projection on "
            f"g(q) = 0 that also leads back (residual {worst:.2g} after at most {_ITERATIONS} "
            "iterations); the positions were kept. Take a smaller step size, or "
            "on_failure='reverse'"
        )

    def _jacobian(self, x: Tensor, like: Params) -> Tensor:
        """Return G, (W, m, d); raises where it has lost rank."""
        _, jacobian = self._look(x, like)
        factor, info = torch.linalg.cholesky_ex(jacobian @ jacobian.mT)
        pivots = factor.diagonal(dim1=1, dim2=2).square()
        lost = pivots.amin(1) <= _RANK * torch.finfo(x.dtype).eps * pivots.amax(1)
        if bool((lost | (info > 0)).any()):
            sizes = torch.linalg.svdvals(jacobian)
            raise ConvergenceError(
                f"the Jacobian of the constraint has lost rank: its smallest singular value is "
                f"{float(sizes.amin()):.2g} and its largest {float(sizes.amax()):.2g}; the set has "
                "no tangent space there. The positions were kept"
            )
        return jacobian

    def _values(self, x: Tensor, like: Params) -> Tensor:
        return vmap(lambda row: self.constraint(*_unflatten(row, like)))(x)

    def _look(self, x: Tensor, like: Params) -> tuple[Tensor, Tensor]:
        """Return g and G, (W, m) and (W, m, d)."""
        found = vjp(lambda y: self._values(y, like), x)
        values, pull_back = cast(tuple[Tensor, Callable[[Tensor], tuple[Tensor]]], found)
        rows: list[Tensor] = []
        for k in range(values.shape[1]):
            direction = torch.zeros_like(values)
            direction[:, k] = 1.0
            rows.append(pull_back(direction)[0])
        return values, torch.stack(rows, 1)


def _tangent(jacobian: Tensor, p: Tensor) -> Tensor:
    rate = (jacobian @ p[..., None])[..., 0]
    solution = torch.linalg.solve(jacobian @ jacobian.mT, rate)
    return p - (jacobian.mT @ solution[..., None])[..., 0]


def _loose(dtype: torch.dtype) -> float:
    """How near counts as arrived: rounding, through a Newton step."""
    return 4096 * torch.finfo(dtype).eps


def _join(tensors: Params) -> Tensor:
    return torch.cat([tensor.flatten(1) for tensor in tensors], 1)


def _unflatten(row: Tensor, like: Params) -> list[Tensor]:
    pieces = row.split([tensor[0].numel() for tensor in like])
    return [piece.view(t.shape[1:]) for piece, t in zip(pieces, like, strict=True)]


def _split(mask: Tensor | None, new: Tensor, old: Tensor, into: Params) -> None:
    """Write the rows of `new`, or of `old` where the mask is false, into the tensors."""
    rows = new if mask is None else torch.where(mask, new, old)
    pieces = rows.split([tensor[0].numel() for tensor in into], 1)
    for tensor, piece in zip(into, pieces, strict=True):
        tensor.copy_(piece.view(tensor.shape))


def _ellipsoid(q: Tensor) -> Tensor:
    """Return g of an ellipsoid, for the contracts."""
    axes = torch.tensor([0.8, 1.3, 1.7], dtype=q.dtype)
    return (q / axes).square().sum(-1, keepdim=True) - 1


GEOMETRY = Example(LevelSet(_ellipsoid), shapes=((3,),))
