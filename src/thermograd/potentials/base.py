"""What a target is, and the counter that evaluates its forces for a step."""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias, runtime_checkable

import torch
from torch import Tensor

from .._errors import EvaluationError
from ..state import Force, Params, Part

Batch: TypeAlias = object


@runtime_checkable
class Potential(Protocol):
    """A potential energy U(q)."""

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker, shape (W,)."""
        ...


@runtime_checkable
class SplitPotential(Potential, Protocol):
    """A potential that is the sum of named terms, each of them a potential."""

    @property
    def components(self) -> Mapping[str, Potential]:
        """The terms, by name."""
        ...


@runtime_checkable
class Minibatched(Potential, Protocol):
    """A potential over data, whose force can be estimated from a batch of them.

    `force` takes a batch as indices, shape (W, B), a row per walker; None is all the data.
    """

    def draw_batch(self, num_walkers: int, generator: torch.Generator) -> Tensor:
        """Draw a batch of indices for every walker, shape (W, B)."""
        ...


class Evaluator:
    """Evaluates one potential for the parts of a run, and counts how often.

    Attributes:
        potential: U.
        next_batch: returns the batch of the next evaluation; None means all the data.
        counts: evaluations so far, by component; None is the whole of U.
    """

    def __init__(self, potential: Potential, next_batch: Callable[[], Batch] | None = None) -> None:
        self.potential = potential
        self.next_batch = next_batch
        self.counts: dict[str | None, int] = {}

    def __call__(self, part: Part, component: str | None = None) -> None:
        """Refresh the force of `part`, or that of one component of U."""
        potential, force = self._target(part, component)
        batch = self.next_batch() if self.next_batch is not None else None
        energy = potential.force(part.q, batch, out=force.tensors)
        force.is_fresh = True
        if component is None:
            part.energy = energy
        self.counts[component] = self.counts.get(component, 0) + 1

    def _target(self, part: Part, component: str | None) -> tuple[Potential, Force]:
        if component is None:
            return self.potential, part.force
        if not isinstance(self.potential, SplitPotential):
            raise EvaluationError(
                f"the method asks for the {component!r} term of the potential, but "
                f"{type(self.potential).__name__} is not split into terms; give it a "
                f"`components` mapping with {component!r} in it"
            )
        if component not in self.potential.components:
            known = ", ".join(sorted(self.potential.components))
            raise EvaluationError(f"the potential has no term {component!r}; it has {known}")
        if component not in part.components:
            part.components[component] = Force(
                [tensor.new_empty(tensor.shape) for tensor in part.q]
            )
        return self.potential.components[component], part.components[component]
