"""Contracts on a geometry, in float64, at points near random ones.

residual        a start that is settled lies on the manifold
projection      Π² = Π and Πᵀ = Π
degrees         the rank of Π
drift           ends on the manifold, with tangent momenta
reversibility   drift, turn p, drift again, turn again is the identity
order           a drift is p dt/m to first order
volume          the drift keeps the volume of phase space: Fᵀ J F = J on tangent vectors
retraction      ends on the manifold, and leaves a point of it where it is
"""

import warnings

import torch
from torch import Tensor

from ..._errors import ClaimError
from ...geometry import Example, begin
from ...noise import seeded
from ...state import Force, Params, Part
from .verdict import Verdict, holds

__all__ = ["verify_geometry"]

_WALKERS, _STEP, _MASS = 3, 0.05, 1.3


def verify_geometry(example: Example, name: str) -> list[Verdict]:
    """Check what every geometry promises.

    Args:
        example: the geometry, with shapes to try it on.
        name: what to call it if it fails to run.

    Returns:
        a verdict for each contract.

    Raises:
        ClaimError: if the geometry fails to run.
    """
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of starts on a rim, which do not matter here
            return _check(example)
    except Exception as error:
        raise ClaimError(f"{name} fails to run: {type(error).__name__}: {error}") from error


def _check(example: Example) -> list[Verdict]:
    geometry = example.geometry
    part = _part(example)
    start, momenta = _flat(part.q), _flat(part.p)
    matrix = _projection(part)
    ends = _drifted(part, start, momenta, _STEP)
    residual = float(geometry.residual(_set(part, *ends)).max())
    stick = float((_projected(part, ends[1]) - ends[1]).abs().max())
    back = _drifted(part, ends[0], -ends[1], _STEP)
    defect = max(float((back[0] - start).abs().max()), float((back[1] + momenta).abs().max()))
    near = _drifted(part, start, momenta, 1e-5)[0] - start
    slope = float((near - 1e-5 * momenta / _MASS).abs().max())
    rank = int(torch.linalg.matrix_rank(matrix, atol=1e-9).max())
    degrees = geometry.degrees_of_freedom(_set(part, start, momenta), _WALKERS)
    idempotent = float((matrix @ matrix - matrix).abs().max())
    return [
        holds("residual", "a settled start", float(geometry.residual(part).max()), 1e-12),
        holds("projection", "idempotent", idempotent, 1e-11),
        holds("projection", "symmetric", float((matrix - matrix.mT).abs().max()), 1e-11),
        Verdict("degrees", str(degrees), str(rank), f"the rank, {rank}", degrees == rank),
        holds("drift", "on the manifold", residual, 1e-12),
        holds("drift", "tangent momenta", stick, 1e-11),
        holds("reversibility", "there and back", defect, 1e-11),
        holds("order", "first order is p dt/m", slope, 1e-8),
        holds("volume", "symplectic", _symplectic_defect(part, start, momenta, matrix), 1e-6),
        *_retraction(part, start, momenta),
    ]


def _part(example: Example) -> Part:
    generator = seeded(0)
    shapes = [(_WALKERS, *shape) for shape in example.shapes]
    q = [0.5 * torch.randn(s, generator=generator, dtype=torch.float64) for s in shapes]
    example.geometry.check(q, "the example")
    example.geometry.settle(q)
    x = begin(example.geometry, q)
    p = [torch.randn(t.shape, generator=generator, dtype=torch.float64) for t in x]
    part = Part(x, p, Force([]), example.geometry, mass=_MASS)
    example.geometry.project_tangent(part)
    return part


def _flat(tensors: Params) -> Tensor:
    return torch.cat([tensor.flatten(1) for tensor in tensors], 1).clone()


def _set(part: Part, q: Tensor, p: Tensor) -> Part:
    for tensors, rows in ((part.q, q), (part.p, p)):
        pieces = rows.split([tensor[0].numel() for tensor in tensors], 1)
        for tensor, piece in zip(tensors, pieces, strict=True):
            tensor.copy_(piece.reshape(tensor.shape))
    return part


def _drifted(part: Part, q: Tensor, p: Tensor, dt: float) -> tuple[Tensor, Tensor]:
    part.geometry.drift(_set(part, q, p), dt)
    return _flat(part.q), _flat(part.p)


def _projected(part: Part, p: Tensor) -> Tensor:
    q, before = _flat(part.q), _flat(part.p)
    part.geometry.project_tangent(_set(part, q, p))
    found = _flat(part.p)
    _set(part, q, before)
    return found


def _projection(part: Part) -> Tensor:
    """Return Π as a matrix for each walker, (W, d, d)."""
    size = _flat(part.p).shape[1]
    eye = torch.eye(size, dtype=torch.float64)
    rows = [_projected(part, eye[k].expand(_WALKERS, size)) for k in range(size)]
    return torch.stack(rows, 2)


def _symplectic_defect(part: Part, q: Tensor, p: Tensor, projection: Tensor) -> float:
    """Return how far the drift is from keeping dq ∧ dp of two variations of the momenta.

    Variations (0, a) and (0, b) with a, b tangent span no area; after the drift they must not
    either: (∂q·a)ᵀ(∂p·b) = (∂q·b)ᵀ(∂p·a).
    """
    generator, width = seeded(1), 1e-4
    changes: list[tuple[Tensor, Tensor]] = []
    for _ in range(2):
        free = torch.randn(p.shape, generator=generator, dtype=torch.float64)
        a = (projection @ free[..., None])[..., 0]
        ahead, behind = (_drifted(part, q, p + s * width * a, _STEP) for s in (1, -1))
        changes.append(((ahead[0] - behind[0]) / (2 * width), (ahead[1] - behind[1]) / (2 * width)))
    (qa, pa), (qb, pb) = changes
    return float(((qa * pb).sum(1) - (qb * pa).sum(1)).abs().max())


def _retraction(part: Part, q: Tensor, p: Tensor) -> list[Verdict]:
    geometry = part.geometry
    generator = seeded(2)
    old = [tensor.clone() for tensor in _set(part, q, p).q]
    geometry.retract(part, old)
    rest = float((_flat(part.q) - q).abs().max())
    noise = 0.03 * torch.randn(q.shape, generator=generator, dtype=torch.float64)
    geometry.retract(_set(part, q + noise, p), old)
    return [
        holds("retraction", "leaves a point of the manifold", rest, 1e-12),
        holds("retraction", "on the manifold", float(geometry.residual(part).max()), 1e-12),
    ]
