"""Any method in the coordinates y of q = q₀ + B y, with a matrix B for each walker that is frozen.

In y the potential is U(q₀ + B y) and its force Bᵀ f. A method of Langevin dynamics in y is, in q,

    dq = B p/m dt,   dp = Bᵀ f(q) dt − γ p dt + √(2γmT) dW

so kicks get Bᵀ and drifts B without the flows knowing, and the law of q stays exp(−U/T). Each
step begins at y = 0: methods must not care where the origin is.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .._foreach import add_, clone, copy_
from ..integrators import Around
from ..state import Env, Force, Params, Part
from ._factor import apply, apply_transposed

__all__ = ["Preconditioned", "flatten", "unflatten"]


@dataclass(frozen=True, slots=True)
class Preconditioned(Around):
    """A method that steps in y, without an acceptance test; the factors are in `Part.coupling`."""

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one step of size `h`."""
        whole, origin = part, clone(part.q)
        chart = replace(
            part,
            q=[torch.zeros_like(x) for x in part.q],
            force=_pulled_back(part, part.force),
            components={name: _pulled_back(part, old) for name, old in part.components.items()},
            is_packed=False,
        )

        def evaluate(part: Part, component: str | None = None) -> None:
            _place(whole, origin, part)
            env.evaluate(whole, component)
            part.energy = whole.energy
            if component is None:
                part.force = _pulled_back(whole, whole.force)
            else:
                part.components[component] = _pulled_back(whole, whole.components[component])

        self.method.step(chart, h, Env(env.noise, evaluate))
        fresh = [chart.force, *chart.components.values()]
        if not any(force.is_fresh for force in fresh):
            _place(part, origin, chart)
        for name, force in chart.components.items():
            part.components[name].is_fresh = force.is_fresh
        part.force.is_fresh = chart.force.is_fresh
        part.records = chart.records


def flatten(xs: Params) -> Tensor:
    """Return tensors (W, ...) as one, (W, N)."""
    return torch.cat([x.flatten(1) for x in xs], dim=1) if len(xs) > 1 else xs[0].flatten(1)


def unflatten(flat: Tensor, like: Params) -> Params:
    """Return the tensors that `flatten` made `flat` of, in the shapes of `like`."""
    pieces = flat.split([x[0].numel() for x in like], dim=1)
    return [piece.reshape(x.shape) for piece, x in zip(pieces, like, strict=True)]


def _place(part: Part, origin: Params, chart: Part) -> None:
    """Put the positions of `part` at q₀ + B y."""
    moved = unflatten(apply(part.coupling, flatten(chart.q)), origin)
    add_(moved, origin, 1.0)  # in memory of their own
    copy_(part.q, moved)
    part.mark_moved()


def _pulled_back(part: Part, force: Force) -> Force:
    """Return Bᵀ f; what is not fresh is not looked at."""
    if not force.is_fresh:
        return Force(force.tensors, force.scale, False)
    flat = apply_transposed(part.coupling, flatten(force.tensors))
    return Force(unflatten(flat, force.tensors), force.scale, True)
