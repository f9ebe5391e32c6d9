"""Starting points: every walker goes downhill from where it is.

    gd     q ← q − η ∇U(q)
    sgd    the same with the gradient of a batch
    bbgd   η = (Δq·Δ∇U)/|Δ∇U|², clipped to [1e-10, 1e10]; the given η where that is not a number
    adam   torch.optim.Adam

∇U is divided by the number of data where U is a sum over them, so that η is the learning rate of
a mean loss. Walkers that start apart make a deep ensemble; none sees another.

References:
    Barzilai and Borwein (1988), doi:10.1093/imanum/8.1.141, the second of their step sizes.
    Lakshminarayanan, Pritzel and Blundell (2017), arXiv:1612.01474, for deep ensembles.
"""

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from torch import Tensor

from .._checks import one_of, positive, positive_int, require
from .._errors import NonFiniteError
from .._foreach import add_, clone, dot
from ..potentials.base import Minibatched, Potential
from ..state import Params

__all__ = ["descend"]

SHORTEST, LONGEST = 1e-10, 1e10

Method = Literal["gd", "sgd", "bbgd", "adam"]
Descent = Callable[[Params], None]


def descend(
    target: Potential,
    q: Tensor | Sequence[Tensor],
    *,
    method: Method,
    steps: int,
    learning_rate: float,
    generator: torch.Generator | None = None,
) -> Params:
    """Return positions further down, for `sample(..., start=...)`.

    Args:
        target: U.
        q: where to begin, each (W, ...).
        method: "gd", "sgd", "bbgd" or "adam".
        steps: how many.
        learning_rate: η > 0, per datum where U is a sum over data.
        generator: of the batches, for "sgd", and for "adam" if it shall use batches.

    Raises:
        NonFiniteError: if a walker ends where U or q is not finite.
    """
    owner = "descend"
    one_of(method, ("gd", "sgd", "bbgd", "adam"), "method", owner)
    positive_int(steps, "steps", owner)
    positive(learning_rate, "learning_rate", owner)
    batched = _batched(target)
    is_batched = method == "sgd" or (method == "adam" and generator is not None)
    if is_batched and (batched is None or generator is None):
        require(False, "method", owner, "'gd' without a target of batches and a generator", method)
    x = clone([q] if isinstance(q, Tensor) else list(q))
    share = 1.0 if getattr(target, "scale", "mean") == "mean" else 1 / _num_data(target)
    f = [torch.empty_like(y) for y in x]
    move = _MOVES[method](x, learning_rate)
    with torch.no_grad():
        for _ in range(steps):
            batch = None
            if is_batched and batched is not None and generator is not None:
                batch = batched.draw_batch(x[0].shape[0], generator)
            target.force(x, batch, out=f)
            move([share * y for y in f])
        energy = target.force(x, None, out=f)
    lost = torch.nonzero(~torch.isfinite(energy)).flatten().tolist()
    if lost:
        raise NonFiniteError(
            f"descend by {method!r} led walker {lost[0]} to where U is not finite; lower the "
            f"learning rate, {learning_rate:g}"
        )
    return x


def _gradient_descent(x: Params, rate: float) -> Descent:
    return lambda f: add_(x, f, rate)


def _barzilai_borwein(x: Params, rate: float) -> Descent:
    last: list[Params] = []

    def move(f: Params) -> None:
        size = x[0].new_full((x[0].shape[0],), rate)
        if last:
            moved = [new - old for new, old in zip(x, last[0], strict=True)]
            bent = [old - new for new, old in zip(f, last[1], strict=True)]  # Δ∇U
            found = dot(moved, bent) / dot(bent, bent)
            size = torch.where(torch.isfinite(found), found.clamp(SHORTEST, LONGEST), size)
        last[:] = [clone(x), clone(f)]
        for y, force in zip(x, f, strict=True):
            y.addcmul_(size.view(-1, *[1] * (y.dim() - 1)), force)

    return move


def _adam(x: Params, rate: float) -> Descent:
    optimizer = torch.optim.Adam(x, lr=rate)

    def move(f: Params) -> None:
        for y, force in zip(x, f, strict=True):
            y.grad = -force
        optimizer.step()
        optimizer.zero_grad()

    return move


_MOVES: dict[str, Callable[[Params, float], Descent]] = {
    "gd": _gradient_descent,
    "sgd": _gradient_descent,
    "bbgd": _barzilai_borwein,
    "adam": _adam,
}


def _batched(target: Potential) -> Minibatched | None:
    return target if isinstance(target, Minibatched) else None


def _num_data(target: Potential) -> int:
    return int(getattr(target, "num_data", 1))
