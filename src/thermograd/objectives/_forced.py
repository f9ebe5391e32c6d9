"""A method whose force is changed on its way in; everything else is the method's own."""

from abc import abstractmethod
from dataclasses import dataclass

from .._errors import EvaluationError
from ..claims import Claims
from ..integrators import Around, CutIntegrator
from ..state import Env, Params, Part

__all__ = ["Forced"]


@dataclass(frozen=True, slots=True)
class Forced(Around):
    """A method that is handed another force than the target's; subclasses are final.

    Attributes:
        method: the method inside; it needs one force a step.
    """

    method: CutIntegrator

    @abstractmethod
    def pushed(self, part: Part, env: Env) -> Params:
        """Return what the force tensors shall be for this step."""

    def moved(self, part: Part) -> None:
        """Look at where the step has led."""

    @property
    def claims(self) -> Claims:
        """None: the target is another one."""
        return Claims()

    @property
    def is_cut(self) -> bool:
        """As the method."""
        return self.method.is_cut

    @property
    def before_drifts(self) -> bool:
        """As the method."""
        return self.method.before_drifts

    @property
    def force_time(self) -> float:
        """As the method."""
        return self.method.force_time

    @property
    def is_elementwise(self) -> bool:
        """As the method."""
        return self.method.is_elementwise

    @property
    def needs_axis(self) -> bool:
        """As the method."""
        return self.method.needs_axis

    def step(self, part: Part, h: float, env: Env) -> None:
        """Refuse: only what is handed its forces can have them changed.

        Raises:
            EvaluationError: always.
        """
        raise EvaluationError(
            f"{type(self).__name__} is for optimizers; a sampler takes the changed potential"
        )

    def before(self, part: Part, h: float, env: Env) -> None:
        """Begin a step with the force at hand."""
        held, part.force.tensors = part.force.tensors, self.pushed(part, env)
        self.method.before(part, h, env)
        part.force.tensors = held
        self.moved(part)

    def after(self, part: Part, h: float, env: Env) -> None:
        """Finish a step with the force at hand."""
        held, part.force.tensors = part.force.tensors, self.pushed(part, env)
        self.method.after(part, h, env)
        part.force.tensors = held

    def cycle(self, part: Part, h_old: float, h_new: float, env: Env) -> None:
        """Advance `part` from force to force."""
        held, part.force.tensors = part.force.tensors, self.pushed(part, env)
        self.method.cycle(part, h_old, h_new, env)
        part.force.tensors = held
        self.moved(part)
