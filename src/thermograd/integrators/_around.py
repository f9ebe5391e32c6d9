"""A method with something around each of its steps; everything else is the method's own."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from ..claims import Claims
from ..state import Env, Part
from ._base import Integrator, scalars_of

__all__ = ["Around"]


@dataclass(frozen=True, slots=True)
class Around(ABC):
    """A method whose step is changed; subclasses are final and give the step.

    Attributes:
        method: the method inside.
    """

    method: Integrator

    @property
    def claims(self) -> Claims:
        """What the method claims."""
        return self.method.claims

    @property
    def has_momenta(self) -> bool:
        """As the method."""
        return self.method.has_momenta

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """As the method."""
        return self.method.auxiliaries

    @property
    def scalars(self) -> tuple[str, ...]:
        """As the method."""
        return scalars_of(self.method)

    def init(self, part: Part, env: Env) -> None:
        """Prepare the part for the first step."""
        self.method.init(part, env)

    @abstractmethod
    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one step of size `h`."""
