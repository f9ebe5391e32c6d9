"""What an integrator is, and the one that is not a word: a plain update."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from torch import Tensor

from .._errors import ParameterError
from .._foreach import clone
from ..claims import Claims
from ..state import Env, Part
from ..thermostat import Thermostat


@runtime_checkable
class Integrator(Protocol):
    """Advances a part by whole steps, evaluating forces as it needs them."""

    @property
    def claims(self) -> Claims:
        """What the contracts hold it to."""
        ...

    @property
    def has_momenta(self) -> bool:
        """Whether it moves momenta."""
        ...

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """Names of further state in the shapes of the positions; starts at 0."""
        ...

    def init(self, part: Part, env: Env) -> None:
        """Prepare the part for the first step."""
        ...

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one step of size `h`."""
        ...


@runtime_checkable
class HasScalars(Protocol):
    """An integrator that carries numbers for each walker, such as a thermostat variable."""

    @property
    def scalars(self) -> tuple[str, ...]:
        """Names of further state of one number per walker."""
        ...


def scalars_of(integrator: Integrator) -> tuple[str, ...]:
    """Return the names of the numbers for each walker that an integrator carries."""
    return integrator.scalars if isinstance(integrator, HasScalars) else ()


def starting_scalars(
    integrator: Integrator, thermostat: Thermostat | None, zeros: Tensor
) -> dict[str, Tensor]:
    """Make the numbers for each walker that an integrator carries, as they start.

    Args:
        integrator: the method.
        thermostat: says where ξ starts.
        zeros: shape (W,), in the dtype and on the device they shall have.

    Returns:
        ξ at `thermostat.initial_xi`, anything else at 0.

    Raises:
        ParameterError: if the method has a thermostat variable and there is no thermostat.
    """
    names = scalars_of(integrator)
    if "xi" in names and thermostat is None:
        raise ParameterError(
            "the method has a thermostat variable, so it needs to know ε and σ; give "
            "thermostat=Thermostat(feedback=…, driving_noise=…)"
        )
    starts = {"xi": thermostat.initial_xi if thermostat is not None else 0.0}
    return {name: zeros + starts.get(name, 0.0) for name in names}


@runtime_checkable
class ChecksGeometry(Protocol):
    """An integrator made of others, each on a manifold of its own."""

    def check_geometry(self) -> None:
        """Refuse one whose formula does not hold on its manifold."""
        ...


@runtime_checkable
class CutIntegrator(Integrator, Protocol):
    """An integrator that needs the force once a step, so that an optimizer can run it."""

    @property
    def is_cut(self) -> bool:
        """Whether it can be cut after all."""
        ...

    @property
    def before_drifts(self) -> bool:
        """Whether positions move before the force is needed."""
        ...

    @property
    def force_time(self) -> float:
        """How far into a step the positions are that the force is needed at, in [0, 1)."""
        ...

    @property
    def is_elementwise(self) -> bool:
        """Whether no element of a tensor depends on another, but through the force."""
        ...

    @property
    def needs_axis(self) -> bool:
        """Whether it looks at the walker axis even where there is one walker."""
        ...

    def before(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` up to the point where the force is needed afresh."""
        ...

    def after(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` from there to the end of the step."""
        ...

    def cycle(self, part: Part, h_old: float, h_new: float, env: Env) -> None:
        """Advance `part` from force to force."""
        ...


@dataclass(frozen=True, slots=True)
class Update:
    """A method that is one formula in the force at the start of the step.

    Attributes:
        update: changes the positions (and momenta, auxiliaries) in place for time h, with
            `part.force` fresh.
        claims: what the contracts hold it to.
        has_momenta: whether it moves momenta.
        auxiliaries: names of further state.
        scalars: names of further state of one number per walker.
        start: fills the auxiliaries before the first step; they are 0 otherwise.
        is_elementwise: whether no element depends on another, but through the force.
        needs_axis: whether it looks at the walker axis even where there is one walker.
    """

    update: Callable[[Part, float, Env], None]
    claims: Claims = field(default_factory=Claims, compare=False)
    has_momenta: bool = False
    auxiliaries: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    start: Callable[[Part, Env], None] | None = None
    is_elementwise: bool = True
    needs_axis: bool = False
    is_cut: bool = True
    before_drifts: bool = True
    force_time: float = 0.0

    def init(self, part: Part, env: Env) -> None:
        """Run `start`, if there is one."""
        if self.start is not None:
            self.start(part, env)

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one step of size `h`."""
        if not part.force.is_fresh:
            env.evaluate(part)
        if part.geometry.is_flat:
            self.update(part, h, env)
        else:
            old = clone(part.q)
            self.update(part, h, env)
            part.geometry.retract(part, old)
        part.mark_moved()

    before = step

    def after(self, part: Part, h: float, env: Env) -> None:
        """Do nothing: the step is over when the force is needed again."""

    def cycle(self, part: Part, h_old: float, h_new: float, env: Env) -> None:
        """Advance `part` by one step of size `h_new`."""
        self.step(part, h_new, env)
