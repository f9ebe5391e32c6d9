"""Reversible averaging: what RA-0 and RA-1 share.

The first tensor of a part is slow (Q, P), the others are fast (q, p); both kinds of force come
from one evaluation. The slow force is averaged, by the trapezoidal rule, over a fast path of k
Verlet steps on which Q stands still: forward from the start of the step, backward from its end.
"""

from dataclasses import dataclass

from .._checks import positive_int
from .._errors import EvaluationError
from .._foreach import add_, clone, copy_
from ..claims import Claims
from ..state import Env, Params, Part


@dataclass(frozen=True, slots=True)
class ReversibleAveraging:
    """Slow kicks by an averaged force around k fast steps.

    Attributes:
        inner_steps: k.
        drift_inside: whether the slow positions move within the fast loop (RA-1) or half
            before and half after it (RA-0).
    """

    inner_steps: int
    drift_inside: bool

    def __post_init__(self) -> None:
        positive_int(self.inner_steps, "inner_steps", "reversible averaging")

    @property
    def claims(self) -> Claims:
        """Reversible and of second order; three fast paths of gradients."""
        extra = 0 if self.drift_inside else 2
        return Claims(
            dynamics="hamiltonian",
            weak_order=2,
            is_time_reversible=True,
            gradients_per_step={None: 3 * self.inner_steps + extra},
        )

    @property
    def has_momenta(self) -> bool:
        """Both kinds have momenta."""
        return True

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """Nothing beside positions and momenta."""
        return ()

    def init(self, part: Part, env: Env) -> None:
        """Check that there is a slow tensor and a fast one.

        Raises:
            EvaluationError: if the part has fewer than two tensors.
        """
        if len(part.q) < 2:
            raise EvaluationError(
                "reversible averaging moves the first tensor slowly and the others fast; the part "
                f"has {len(part.q)} tensor"
            )

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one step."""
        slow, fast = slice(0, 1), slice(1, None)
        dt = h / self.inner_steps
        _refresh(part, env)
        add_(part.p[slow], self._average(part, dt, env), h / 2)
        if not self.drift_inside:
            _drift(part, slow, h / 2)
        _refresh(part, env)
        for _ in range(self.inner_steps):
            _kick(part, fast, dt / 2)
            _drift(part, fast, dt)
            if self.drift_inside:
                _drift(part, slow, dt)
            env.evaluate(part)
            _kick(part, fast, dt / 2)
        if not self.drift_inside:
            _drift(part, slow, h / 2)
        _refresh(part, env)
        add_(part.p[slow], self._average(part, -dt, env), h / 2)

    def _average(self, part: Part, dt: float, env: Env) -> Params:
        """Return the mean slow force on a fast path of k steps `dt`; put the part back."""
        slow, fast = slice(0, 1), slice(1, None)
        q, p, f = clone(part.q), clone(part.p), clone(part.force.tensors)
        weight = part.force.scale / self.inner_steps
        mean = [weight / 2 * tensor for tensor in f[slow]]
        for k in range(self.inner_steps):
            _kick(part, fast, dt / 2)
            _drift(part, fast, dt)
            env.evaluate(part)
            _kick(part, fast, dt / 2)
            end = k + 1 == self.inner_steps
            add_(mean, part.force.tensors[slow], weight / 2 if end else weight)
        for now, then in ((part.q, q), (part.p, p), (part.force.tensors, f)):
            copy_(now, then)
        part.force.is_fresh = True
        return mean


def _refresh(part: Part, env: Env) -> None:
    if not part.force.is_fresh:
        env.evaluate(part)


def _kick(part: Part, which: slice, dt: float) -> None:
    add_(part.p[which], part.force.tensors[which], dt * part.force.scale)


def _drift(part: Part, which: slice, dt: float) -> None:
    add_(part.q[which], part.p[which], dt / part.mass)
    part.mark_moved()
