"""Spheres: the weights of a row, a channel or a tensor have norm r; with slack, norm at most r.

With slack a further coordinate ξ belongs to each sphere, |θ|² + ξ² = r², so that |θ| ≤ r. Along a
sphere, with q its point (ξ included), p its momentum and v = |p|/m the speed:

drift             q ← cos(v dt/r) q + r sin(v dt/r) p/|p|,   p ← cos(v dt/r) p − sin(v dt/r) |p| q/r
project_tangent   p ← p − q (q·p)/(q·q)
retract           q ← r q/|q|,   the orthogonal projection: that of the direction at the new point
residual          | |q|²/r² − 1 |, the largest
degrees           d − 1 for each sphere

The drift is the exact geodesic. Before it rotates it puts q and p back on the sphere and on the
tangent plane, in the same pass, so rounding does not add up.

One weight to a sphere with slack is the circle; `Circle` does that at a third of the cost.

References:
    Vlaar (2022), thesis, University of Edinburgh, eqs. (4.3), (4.42), (4.47) and section 4.7.2.3.
"""

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .._checks import one_of, positive, require
from .._errors import ParameterError
from ..state import Params, Part
from ._base import Example

_PER = ("row", "channel", "tensor", "weight")
_NUDGE = 0.01  # ξ/r at which a start on the rim is put
_REST = 1e-30  # a squared speed below it counts as this, so that sin(v t)/v exists


@dataclass(frozen=True, slots=True)
class Sphere:
    """|q| = r for each of the spheres that the tensors are made of.

    Attributes:
        radius: r > 0.
        slack: whether a slack variable belongs to each sphere, which bounds |θ| by r.
        per: what a sphere is: a "row" (all weights into one unit, index of the first axis), a
            "channel" (all weights out of one input, index of the second axis), a whole "tensor"
            or a single "weight".
    """

    radius: float
    slack: bool = False
    per: str = "row"

    def __post_init__(self) -> None:
        positive(self.radius, "radius", "Sphere")
        one_of(self.per, _PER, "per", "Sphere")
        ok = self.slack or self.per != "weight"
        require(ok, "slack", "Sphere", "True if each weight has a sphere", self.slack)

    @property
    def is_flat(self) -> bool:
        """It is curved."""
        return False

    @property
    def drift_projects(self) -> bool:
        """It projects on its way."""
        return True

    @property
    def is_joint(self) -> bool:
        """No sphere spans two tensors."""
        return False

    @property
    def hidden(self) -> str:
        """The slack variables, if there are any."""
        return "slack" if self.slack else ""

    @property
    def is_chart(self) -> bool:
        """Slack variables stand beside the weights."""
        return False

    def row_length(self, shape: tuple[int, ...]) -> int:
        """Return the number of weights to a sphere; 0 for channels, which lie across rows."""
        if self.per == "weight":
            return 1
        if self.per == "channel":
            return 0
        return math.prod(shape[1:] if self.per == "row" else shape)

    def of_rows(self) -> "Sphere":
        """The spheres of rows."""
        return replace(self, per="row")

    def drift(self, part: Part, dt: float) -> None:
        r, rate = self.radius, dt / part.mass
        for q, p in zip(self._spheres(part.q), self._spheres(part.p), strict=True):
            a, b, c = self._dot(q, q), self._dot(q, p), self._dot(p, p)
            lean = b / a
            speed = c.addcmul_(b, lean, value=-1).clamp_(min=_REST).sqrt_()
            angle = speed * (rate / r)
            cos, sin, scale = angle.cos(), angle.sin_(), a.rsqrt_()
            reach = (sin / speed).mul_(r)
            stay = (cos * scale).mul_(r).addcmul_(reach, lean, value=-1)
            turn = sin.mul_(speed).mul_(scale).addcmul_(cos, lean).neg_()
            for x, y in zip(q, p, strict=True):
                new = (x * stay).addcmul_(y, reach)
                y.mul_(cos).addcmul_(x, turn)
                x.copy_(new)

    def project_tangent(self, part: Part) -> None:
        for q, p in zip(self._spheres(part.q), self._spheres(part.p), strict=True):
            lean = self._dot(q, p).div_(self._dot(q, q)).neg_()
            for x, y in zip(q, p, strict=True):
                y.addcmul_(x, lean)

    def retract(self, part: Part, old: Params) -> None:
        self._rescale(part.q)

    def residual(self, part: Part) -> Tensor:
        return torch.stack([_worst(self._excess(q).abs()) for q in self._spheres(part.q)]).amax(0)

    def degrees_of_freedom(self, part: Part, num_walkers: int) -> int:
        count = sum(p.numel() for p in part.p)
        spheres = sum(self._dot(p, p).numel() for p in self._spheres(part.p))
        return (count - spheres) // num_walkers

    def check(self, q: Params, owner: str) -> None:
        for tensor in q:
            need = {"row": 3, "channel": 3}.get(self.per, 1)
            if tensor.dim() < need:
                raise ParameterError(
                    f"{owner} of shape {tuple(tensor.shape[1:])} has no {self.per}s; "
                    "use per='tensor'"
                )
            size = self._dot([tensor], [tensor])
            if not self.slack and bool((size == 0).any()):
                raise ParameterError(
                    f"{owner} has {int((size == 0).sum())} {self.per}(s) of zeros, which have no "
                    "nearest point on a sphere; start them elsewhere, or take slack=True"
                )
            if not self.slack and tensor.numel() == size.numel():
                raise ParameterError(
                    f"{owner} has one weight to a {self.per}: without slack it could not move"
                )

    def distance(self, q: Params) -> Tensor:
        excess = [self._excess([tensor]) for tensor in q]
        far = [_worst(e.clamp(min=0) if self.slack else e.abs()) for e in excess]
        return torch.stack(far).amax(0)

    def settle(self, q: Params) -> None:
        for tensor in q:
            size = self._dot([tensor], [tensor]).sqrt_() / self.radius
            tensor.div_(size.clamp_(min=1) if self.slack else size)

    def begin(self, q: Params) -> Params:
        """Return the slack variables, positive; a row on the rim is moved in a little.

        There the slack would stay 0 at T = 0, and the norm at r.
        """
        if not self.slack:
            return []
        slack: Params = []
        for tensor in q:
            share = self._dot([tensor], [tensor]) / self.radius**2
            limit = 1 - _NUDGE**2
            tensor.mul_((limit / share.clamp(min=limit)).sqrt_())
            slack.append((1 - share.clamp(max=limit)).sqrt_().mul_(self.radius))
        return slack

    def positions(self, x: Params) -> Params:
        return x[: len(x) // 2] if self.slack else x

    def pull_back(self, x: Params, f: Params) -> Params:
        return [*f, *(torch.zeros_like(xi) for xi in x[len(f) :])]

    def _spheres(self, x: Params) -> list[Params]:
        """Put each tensor beside its slack."""
        if not self.slack:
            return [[tensor] for tensor in x]
        half = len(x) // 2
        return [[theta, xi] for theta, xi in zip(x[:half], x[half:], strict=True)]

    def _dot(self, a: Params, b: Params) -> Tensor:
        """Return a·b for each sphere, in a shape that broadcasts against the tensor."""
        x, y = a[0], b[0]
        if self.per == "weight":
            total = x * y
        elif self.per == "channel":
            total = (x * y).sum([k for k in range(1, x.dim()) if k != 2], keepdim=True)
        else:
            keep = 2 if self.per == "row" else 1
            total = torch.linalg.vecdot(x.flatten(keep), y.flatten(keep))
            total = total.view(*x.shape[:keep], *[1] * (x.dim() - keep))
        return total.addcmul_(a[1], b[1]) if len(a) > 1 else total

    def _excess(self, sphere: Params) -> Tensor:
        return self._dot(sphere, sphere) / self.radius**2 - 1

    def _rescale(self, x: Params) -> None:
        for sphere in self._spheres(x):
            scale = self.radius / self._dot(sphere, sphere).sqrt_()
            for tensor in sphere:
                tensor.mul_(scale)


def _worst(values: Tensor) -> Tensor:
    return values.flatten(1).amax(1)


GEOMETRY = Example(Sphere(1.3, slack=True), shapes=((3, 4), (2, 3, 2, 2)))
