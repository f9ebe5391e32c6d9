"""What a step draws, in order: written down once, then drawn ahead of every compiled step."""

from collections.abc import Sequence

import torch
from torch import Tensor

from .._errors import EvaluationError
from .._foreach import clone
from ..noise import NoiseSource
from ..potentials.base import Batch, Evaluator
from ..state import Env, Part
from .world import World

__all__ = ["Draws"]

Draw = tuple[str, list[Tensor]]


class Draws:
    """The draws of one step: normals, uniforms and batches.

    Args:
        part: a state to try a step on; it is moved.
        world: what the step runs in; its streams stay where they are.
        h: the step size.

    Attributes:
        counts: the forces a step evaluates, by term of the potential.
    """

    def __init__(self, part: Part, world: World, h: float) -> None:
        self._world = world
        self._draws = list[Draw]()
        next_batch = world.evaluate.next_batch

        def batch() -> Batch:
            drawn = next_batch() if next_batch is not None else None
            if not isinstance(drawn, Tensor):
                raise EvaluationError(f"batches must be tensors of indices; got {drawn!r}")
            self._draws.append(("batch", [drawn]))
            return drawn

        evaluate = Evaluator(world.potential, batch if next_batch is not None else None)
        with world.aside():
            world.integrator.step(part, h, Env(_Recorder(world.noise, self._draws), evaluate))
        self.counts = evaluate.counts
        normals = [place for place, (kind, _) in enumerate(self._draws) if kind == "normal"]
        self._last_normal = max(normals, default=0)

    def tape(self) -> list[Tensor]:
        """Draw for the next step."""
        noise, tape = self._world.noise, list[Tensor]()
        for place, (kind, like) in enumerate(self._draws):
            if kind == "batch":
                tape.append(self._next_batch(like[0]))
            elif kind == "uniform":
                tape.append(noise.uniform(like[0]))
            elif place < self._last_normal:
                tape.extend(clone(noise.normal(like)))  # a source may reuse its memory
            else:
                tape.extend(noise.normal(like))
        return tape

    def tape_of_no_effect(self) -> list[Tensor]:
        """Return a tape to trace with; the streams stay where they are."""
        with self._world.aside():
            return clone(self.tape())

    def sort(self, tape: Sequence[Tensor]) -> tuple[list[list[Tensor]], list[Tensor], list[Tensor]]:
        """Sort a tape into normals by call, uniforms and batches."""
        normals, rest = list[list[Tensor]](), list(tape)
        singles: dict[str, list[Tensor]] = {"uniform": [], "batch": []}
        for kind, like in self._draws:
            if kind == "normal":
                normals.append(rest[: len(like)])
                del rest[: len(like)]
            else:
                singles[kind].append(rest.pop(0))
        return normals, singles["uniform"], singles["batch"]

    def _next_batch(self, like: Tensor) -> Tensor:
        next_batch = self._world.evaluate.next_batch
        batch = next_batch() if next_batch is not None else None
        if not isinstance(batch, Tensor) or batch.shape != like.shape or batch.dtype != like.dtype:
            raise EvaluationError(
                f"the step is compiled for batches of shape {tuple(like.shape)}, {like.dtype}; got "
                f"{batch!r}: give compile=False"
            )
        return batch


class _Recorder:
    """A noise source that writes down what it is asked for."""

    def __init__(self, source: NoiseSource, draws: list[Draw]) -> None:
        self.source, self.draws = source, draws
        self.matched_moments = source.matched_moments

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        self.draws.append(("normal", [torch.empty_like(tensor) for tensor in like]))
        return self.source.normal(like)

    def uniform(self, like: Tensor) -> Tensor:
        self.draws.append(("uniform", [torch.empty_like(like)]))
        return self.source.uniform(like)

    def state_dict(self) -> dict[str, Tensor]:
        return self.source.state_dict()

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.source.load_state_dict(state)
