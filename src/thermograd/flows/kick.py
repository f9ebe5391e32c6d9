"""B: push the momenta with the present force.

    B   p ← p + dt f(q),   f = −∇U

The force is evaluated only if the positions moved since the last evaluation. Inverse: −dt.
"""

from dataclasses import dataclass

from .._foreach import decay_add_
from ..state import Env, Params, Part


@dataclass(frozen=True, slots=True)
class Kick:
    """A kick by the whole force, or by one named term of the potential."""

    component: str | None = None
    letter: str = "B"
    is_elementwise: bool = True
    is_additive: bool = True

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        decay, gain, f = self.momentum_map(part, dt, env)
        decay_add_(part.p, f, decay, gain)
        part.geometry.project_tangent(part)

    def momentum_map(self, part: Part, dt: float, env: Env) -> tuple[float, float, Params]:
        """Return (decay, gain, x) of the map p ← decay p + gain x that this flow is."""
        force = part.force if self.component is None else part.components.get(self.component)
        if force is None or not force.is_fresh:
            env.evaluate(part, self.component)
            force = part.force if self.component is None else part.components[self.component]
        return 1.0, dt * force.scale, force.tensors


FLOW = Kick()
