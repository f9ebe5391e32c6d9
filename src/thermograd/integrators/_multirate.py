"""What the multirate optimizers run in one call; they are handed the gradient, if there is one.

    momentum        v ← μ v − (∇U(q) + ω q)
    drift           q ← q + h v / m

A slow part runs the first when it has a gradient, and the second in every call. The same division
of a word such as OBA, for a slow part whose step spans k calls, runs O and B for the time kh.
"""

from dataclasses import dataclass

from .._errors import WordError
from .._foreach import add, add_, decay_add_
from ..flows import alphabet
from ..splitting import Stage, Word
from ..state import Env, Params, Part
from ._base import CutIntegrator, Update

_STILL = frozenset("BO")  # letters that move no position and carry no number of their own


def gradient(part: Part) -> Params:
    """Return what the force scales to: the tensors of the force with ω q added to the gradient."""
    f, omega = part.force, part.weight_decay
    return add(f.tensors, part.q, -f.scale * omega) if omega else f.tensors


def multirate_momentum(part: Part, h: float, env: Env) -> None:
    """Advance the momenta by one gradient; the time h does not enter."""
    decay_add_(part.p, gradient(part), part.momentum or 0.0, part.force.scale)


def multirate_sgd(part: Part, h: float, env: Env) -> None:
    """Advance by SGD with momentum in torch's form, without dampening or Nesterov's variant."""
    multirate_momentum(part, h, env)
    add_(part.q, part.p, h / part.mass)


@dataclass(frozen=True, slots=True)
class _Kicks:
    stages: tuple[Stage, ...]

    def __call__(self, part: Part, h: float, env: Env) -> None:
        flows = alphabet()
        for stage in self.stages:
            flows[stage.letter](part, stage.weight * h, env)


MULTIRATE_SGD = Update(multirate_sgd, has_momenta=True)
_MOMENTUM = Update(multirate_momentum, has_momenta=True)


def without_drift(method: CutIntegrator) -> Update:
    """Return what a method does before its drift, for a slow part that drifts in every call.

    Raises:
        WordError: if the method cannot be divided so.
    """
    if method == MULTIRATE_SGD:
        return _MOMENTUM
    if isinstance(method, Word):
        *first, last = method.stages
        if last.letter == "A" and {stage.letter for stage in first} <= _STILL:
            return Update(_Kicks(tuple(first)), has_momenta=True)
    name = str(method) if isinstance(method, Word) else type(method).__name__
    raise WordError(
        f"{name} cannot drift linearly between its gradients: that takes a word of kicks B and "
        "baths O with one drift A at its end, such as OBA. Choose one for the slow part, or "
        "linear_drift=False"
    )
