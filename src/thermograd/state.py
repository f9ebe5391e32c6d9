"""The state a method advances: parts with a leading walker axis, and the world around them.

A `Part` is a set of tensors advanced by one method with one friction and one temperature.
Every tensor in it has the walker axis first, shape (W, ...); element-wise maps never look at
that axis, so a caller without walkers may leave it out of a part that only such maps touch. So do
maps by one number per walker, and sums over a walker, where there is one walker.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from torch import Tensor

from .noise import NoiseSource
from .thermostat import Thermostat

Params: TypeAlias = list[Tensor]


@dataclass(slots=True)
class Force:
    """A force f = scale · tensors, cached at the positions it was evaluated at.

    Attributes:
        tensors: what was evaluated, in the order and shapes of the positions.
        scale: 1 where `tensors` hold −∇U; −1 where they hold the gradient itself, as in an
            optimizer, which then need not copy it.
        is_fresh: whether the positions are still those of the evaluation.
    """

    tensors: Params
    scale: float = 1.0
    is_fresh: bool = False


class Geometry(Protocol):
    """The manifold a part lives on."""

    @property
    def is_flat(self) -> bool:
        """Whether coordinates move as in flat space; a chart's do, though its positions do not."""
        ...

    @property
    def drift_projects(self) -> bool:
        """Whether a drift ends the same for p and for Π p, so that p need not be projected."""
        ...

    def drift(self, part: "Part", dt: float) -> None:
        """Advance the positions along the geodesic of the momenta for time `dt`."""
        ...

    def project_tangent(self, part: "Part") -> None:
        """Project the momenta on the tangent space at the positions."""
        ...

    def retract(self, part: "Part", old: Params) -> None:
        """Bring the positions back to the manifold after an overdamped move from `old`."""
        ...

    def residual(self, part: "Part") -> Tensor:
        """Return the distance from the manifold per walker, shape (W,); 0 on it."""
        ...

    def degrees_of_freedom(self, part: "Part", num_walkers: int) -> int:
        """Return the number of independent momenta of each walker."""
        ...


@dataclass(slots=True)
class Part:
    """Tensors that one method advances together.

    Attributes:
        q: positions, each (W, ...).
        p: momenta in the shapes of `q`; empty for methods without momenta.
        force: the cached force −∇U(q).
        geometry: the manifold of `q`.
        friction: γ ≥ 0, per unit time.
        temperature: T ≥ 0, in the units of U; a tensor (W,) where walkers have their own.
        mass: m > 0, the same for every coordinate of the part.
        components: cached forces of the terms of U, for methods that evaluate them apart.
        thermostat: constants of the thermostat variable, for methods that have one.
        aux: further state of a method, each entry in the shapes of `q`.
        scalars: further state of one number per walker, each (W,), such as "xi".
        coupling: what an ensemble wrote between steps for its method to read, each (W, ...).
        energy: U per walker at the last evaluation, shape (W,); None where nobody computes it.
        records: what a method reports of its last step, each (W,), such as "acceptance".
        is_packed: whether every tensor is float32 and contiguous, which one-pass kernels need.
        momentum: decay μ of the momenta in one step, for methods that are told it in place of γ.
        weight_decay: ω ≥ 0, for methods that add ω q to the gradient.
    """

    q: Params
    p: Params
    force: Force
    geometry: Geometry
    friction: float = 0.0
    temperature: float | Tensor = 0.0
    mass: float = 1.0
    thermostat: Thermostat | None = None
    components: dict[str, Force] = field(default_factory=dict[str, Force])
    aux: dict[str, Params] = field(default_factory=dict[str, Params])
    scalars: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    coupling: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    energy: Tensor | None = None
    records: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    is_packed: bool = False
    momentum: float | None = None
    weight_decay: float = 0.0

    @property
    def is_cold(self) -> bool:
        """Whether T = 0 for all walkers for good, so that no noise need be drawn."""
        return not isinstance(self.temperature, Tensor) and self.temperature == 0

    def mark_moved(self) -> None:
        """Say that the positions changed: every cached force is stale."""
        self.force.is_fresh = False
        for force in self.components.values():
            force.is_fresh = False

    def variables(self) -> Iterator[Tensor]:
        """Yield every tensor the method carries from step to step."""
        yield from self.q
        yield from self.p
        yield from self.scalars.values()
        for tensors in self.aux.values():
            yield from tensors


class Evaluate(Protocol):
    """Writes a force of a part, at its present positions, into its cache."""

    def __call__(self, part: Part, component: str | None = None) -> None: ...


@dataclass(slots=True)
class Env:
    """What a step may ask of the world: random numbers and forces.

    Attributes:
        noise: the one door for randomness.
        evaluate: refreshes `part.force`, or one of its components.
    """

    noise: NoiseSource
    evaluate: Evaluate


class Flow(Protocol):
    """An elementary map: advances one part in place, exactly for what it solves, any time."""

    @property
    def letter(self) -> str:
        """The letter that stands for it in words."""
        ...

    def __call__(self, part: Part, dt: float, env: Env) -> None:
        """Advance `part` for time `dt`."""
        ...


def thermal_noise(
    part: Part, variance: float, like: Sequence[Tensor], env: Env
) -> tuple[float, Params]:
    """Draw noise of variance `variance` · T for every element of `like`.

    Returns:
        a gain and tensors; the noise is their product. With a gain of 0 nothing is drawn.
    """
    heat = part.temperature
    if not isinstance(heat, Tensor):
        gain = math.sqrt(variance * heat)
        return gain, env.noise.normal(like) if gain > 0.0 else list(like)
    root = heat.sqrt()
    drawn = env.noise.normal(like)
    return math.sqrt(variance), [x * root.view(-1, *[1] * (x.dim() - 1)) for x in drawn]
