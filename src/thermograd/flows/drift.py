"""A: move with the present momenta.

    A   q ← q + dt p / m

On a manifold the geometry moves along its geodesic instead. Inverse: the same map with −dt.
"""

from dataclasses import dataclass

from ..state import Env, Part


@dataclass(frozen=True, slots=True)
class Drift:
    """Free motion; needs momenta; makes every cached force stale."""

    letter: str = "A"
    is_elementwise: bool = True
    is_additive: bool = True

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        part.geometry.drift(part, dt)
        part.mark_moved()


FLOW = Drift()
