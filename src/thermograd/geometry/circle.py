"""A circle for each weight: |θ| ≤ r, held exactly at no cost in noise.

With a slack variable ξ for each weight, θ² + ξ² = r². A circle is flat: along its arc length s,

    θ = r sin(s/r),   ξ = r cos(s/r)

the dynamics is the unconstrained one in s, with the force f_s = f cos(s/r) = f ξ/r. So the flows
move s, with a momentum and a noise of one number per weight, in any method, and keep there every
property they have in flat space. The rotation of (θ, ξ) and the projections of its momenta are
exact, and there is nothing to drift off. As r → ∞, s → θ.

With U = 0 the angle is uniform: the law of θ is the arcsine density 1/(π √(r² − θ²)), and
exp(−U/T) stands beside it.

drift             s ← s + dt p/m
project_tangent   nothing
retract           nothing
residual          |θ² + ξ² − r²|/r²
degrees           one for each weight

At T = 0 a weight at ±r never moves, for f_s = 0 there: a start within 5e-5 r of ±r is moved in by
that much, with a notice.

References:
    Vlaar (2022), thesis, University of Edinburgh, eqs. (4.2) and (4.47), sections 4.7.2.2-3.
"""

import math
import warnings
from dataclasses import dataclass

import torch
from torch import Tensor

from .._checks import positive
from .._foreach import add_, cosines, decay_add_, mul_, sines
from ..state import Params, Part
from ._base import Example

_NUDGE = 0.01  # ξ/r at which a start on the rim is put


@dataclass(frozen=True, slots=True)
class Circle:
    """θ² + ξ² = r² for each weight θ.

    Attributes:
        radius: r > 0, the bound of each |θ|.
    """

    radius: float

    def __post_init__(self) -> None:
        positive(self.radius, "radius", "Circle")

    @property
    def is_flat(self) -> bool:
        """Flat along the arc."""
        return True

    @property
    def drift_projects(self) -> bool:
        """There is nothing to project."""
        return True

    @property
    def is_joint(self) -> bool:
        """Every weight has a circle of its own."""
        return False

    @property
    def hidden(self) -> str:
        """The arc length."""
        return "arc"

    @property
    def is_chart(self) -> bool:
        """The arc stands for the weight."""
        return True

    def row_length(self, shape: tuple[int, ...]) -> int:
        """Every weight is a row."""
        return 1

    def of_rows(self) -> "Circle":
        """The same circles."""
        return self

    def drift(self, part: Part, dt: float) -> None:
        add_(part.q, part.p, dt / part.mass)

    def project_tangent(self, part: Part) -> None:
        pass

    def retract(self, part: Part, old: Params) -> None:
        pass

    def residual(self, part: Part) -> Tensor:
        pairs = zip(sines(part.q, self.radius), cosines(part.q, self.radius), strict=True)
        off = [(a**2 + b**2 - 1).abs().flatten(1).amax(1) for a, b in pairs]
        return torch.stack(off).amax(0)

    def degrees_of_freedom(self, part: Part, num_walkers: int) -> int:
        return sum(p.numel() for p in part.p) // num_walkers

    def check(self, q: Params, owner: str) -> None:
        pass

    def distance(self, q: Params) -> Tensor:
        beyond = [(x.abs() / self.radius - 1).clamp(min=0).flatten(1).amax(1) for x in q]
        return torch.stack(beyond).amax(0)

    def settle(self, q: Params) -> None:
        for tensor in q:
            tensor.clamp_(-self.radius, self.radius)

    def begin(self, q: Params) -> Params:
        """Return the arc lengths, with ξ > 0."""
        limit = math.sqrt(1 - _NUDGE**2)
        sine = [(x.float() if x.itemsize < 4 else x) / self.radius for x in q]
        count = sum(int((x.abs() > limit).sum()) for x in sine)
        if count:
            warnings.warn(
                f"{count} weight(s) start on the rim of {self}, where no force moves them; they "
                f"were moved in by {1 - limit:.0e} of the radius",
                stacklevel=2,
            )
        return [x.clamp(-limit, limit).asin_().mul_(self.radius) for x in sine]

    def positions(self, x: Params, out: Params | None = None) -> Params:
        theta = sines(x, self.radius, out)
        decay_add_(theta, theta, self.radius, 0.0)
        return theta

    def pull_back(self, x: Params, f: Params, out: Params | None = None) -> Params:
        cosine = cosines(x, self.radius, out)
        mul_(cosine, f)
        return cosine


GEOMETRY = Example(Circle(1.3), shapes=((3, 2), (4,)))
