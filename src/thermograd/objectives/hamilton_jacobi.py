"""The Hamilton-Jacobi smoothing: the Moreau envelope of an objective, and its proximal map.

    u(x) = min_y U(y) + |x − y|²/(2γ),   y* = prox(x),   ∇u(x) = (x − y*)/γ = ∇U(y*)

u solves u_t = −½|∇u|² from u = U in time γ, and is the local entropy at T = 0. It has the
minimisers and the minimum of U, which local entropy does not. Where U'' ≤ C, u'' ≤ 1/(1/C + γ).

The inner loop is descent y ← y − h (∇U(y) + (y − x)/γ), which contracts if U'' + 1/γ > 0. Version
1 of the algorithm then moves x along (x − y)/γ and version 2 along the last ∇U(y); where the inner
loop has converged they agree.

References:
    Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y; thesis, eqs (4.16)-(4.18), (4.42).
"""

from torch import Tensor

from .._checks import positive
from .._errors import ConvergenceError
from .local_entropy import Energy

__all__ = ["moreau_envelope", "proximal_map"]


def proximal_map(
    slope: Energy, curvature: Energy, x: Tensor, *, scope: float, tolerance: float = 1e-13
) -> Tensor:
    """Return prox(x) of a function of one variable, by Newton's method on U'(y) + (y − x)/γ = 0.

    Args:
        slope: U', element by element.
        curvature: U''.
        x: where, any shape.
        scope: γ > 0, small enough that U'' + 1/γ > 0 on the way.
        tolerance: of the last move, relative to 1 + |y|.

    Raises:
        ConvergenceError: if U'' + 1/γ ≤ 0 on the way, or it is not found in 100 steps.
    """
    gamma = positive(scope, "scope", "proximal_map")
    y = x.clone()
    for _ in range(100):
        bend = curvature(y) + 1.0 / gamma
        if not bool((bend > 0).all()):
            break
        move = (slope(y) + (y - x) / gamma) / bend
        y = y - move
        if bool((move.abs() <= tolerance * (1.0 + y.abs())).all()):
            return y
    raise ConvergenceError(
        f"the proximal map was not found: U'' + 1/γ must stay above 0, and γ = {gamma:g}"
    )


def moreau_envelope(
    energy: Energy, slope: Energy, curvature: Energy, x: Tensor, *, scope: float
) -> Tensor:
    """Return min_y U(y) + |x − y|²/(2γ) of a function of one variable; see `proximal_map`."""
    y = proximal_map(slope, curvature, x, scope=scope)
    return energy(y) + (x - y).square() / (2.0 * scope)
