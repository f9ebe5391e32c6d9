"""One step of all walkers: as it is written, or as a compiled program that draws the same numbers.

A program is made by running one step for real while torch writes down every tensor operation
(`make_fx`), then compiling the list with inductor, the back end of `torch.compile`. Random
numbers and batches are drawn outside, in the order in which the eager step asks for them, and
handed in as a tape.
"""

import math
import time
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal, Protocol, cast

import torch
import torch._inductor as inductor
from torch import Tensor
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

from .._foreach import clone, copy_
from ..noise import Tape
from ..potentials.base import Evaluator
from ..state import Env, Force, Part
from ._draws import Draws
from ._lowering import OPTIONS, TABLE
from .world import World

__all__ = [
    "Choice",
    "Compile",
    "EagerStep",
    "Stepper",
    "World",
    "choose",
    "copy_part",
]

Compile = Literal["auto"] | bool

COMPILE_SECONDS = 8.0  # what compiling a step takes here, 4.8 to 13 s seen
OP_SECONDS = 4e-6  # what one tensor operation costs an eager step, however small its tensors
TIMED_STEPS = 5
TRIED_SECONDS = 0.1


class Stepper(Protocol):
    """Advances the part of a run by one step of size `h`."""

    def __call__(self, h: float) -> None: ...


class EagerStep:
    """The step as the method writes it.

    Args:
        part: the state it advances.
        world: what it steps in.
    """

    def __init__(self, part: Part, world: World) -> None:
        self.part = part
        self.integrator = world.integrator
        self.env = Env(world.noise, world.evaluate)

    def __call__(self, h: float) -> None:
        self.integrator.step(self.part, h, self.env)


class CompiledStep:
    """The step as a compiled program, for one step size.

    Args:
        part: the state it advances, one eager step behind it.
        world: what it steps in.
        h: the step size.

    Attributes:
        num_ops: tensor operations in a step.

    Raises:
        RuntimeError: if the step cannot be traced.
    """

    def __init__(self, part: Part, world: World, h: float) -> None:
        if part.energy is not None:
            part.energy = part.energy.clone()
        part.records = {name: value.clone() for name, value in part.records.items()}
        self.part, self.world, self.h = part, world, h
        self._draws = Draws(copy_part(part), world, h)
        self._state = _tensors(part)
        graph = self._trace()
        self.num_ops = len(graph.graph.nodes)
        program = inductor.compile(
            graph, [*self._state, *self._draws.tape_of_no_effect()], options=dict(OPTIONS)
        )
        self._program = cast(Callable[..., object], program)

    def __call__(self, h: float) -> None:
        if h != self.h:
            raise RuntimeError(f"the step is compiled for a step size of {self.h}; got {h}")
        self._program(*self._state, *self._draws.tape())
        counts = self.world.evaluate.counts
        for name, number in self._draws.counts.items():
            counts[name] = counts.get(name, 0) + number

    def _trace(self) -> GraphModule:
        def step(state: list[Tensor], tape: list[Tensor]) -> None:
            part = _bind(self.part, state)
            normals, uniforms, batches = self._draws.sort(tape)
            evaluate = Evaluator(self.world.potential, lambda: batches.pop(0) if batches else None)
            env = Env(Tape(normals, uniforms), evaluate)
            self.world.integrator.step(part, self.h, env)
            after = _tensors(part)
            if _flags(part) != _flags(self.part) or len(after) != len(state):
                raise RuntimeError("steps of this method differ from one another")
            for old, new in zip(state, after, strict=True):
                if new is not old:
                    old.copy_(new)

        def flat(*tensors: Tensor) -> tuple[()]:
            step(list(tensors[:num_state]), list(tensors[num_state:]))
            return ()

        num_state = len(self._state)
        graph = make_fx(flat, decomposition_table=dict(TABLE))(
            *clone(self._state), *self._draws.tape_of_no_effect()
        )
        for node in graph.graph.nodes:
            tags = getattr(node.target, "tags", ())
            if torch.Tag.nondeterministic_seeded in tags:
                raise RuntimeError(f"the target draws random numbers of its own ({node.target})")
        return graph


@dataclass(frozen=True, slots=True)
class Choice:
    """How a run steps, and why.

    Attributes:
        step: the stepper.
        is_compiled: whether it is a compiled program.
        reason: in words, for the log; empty where there is nothing to say.
    """

    step: Stepper
    is_compiled: bool
    reason: str = ""


def choose(mode: Compile, part: Part, world: World, h: float | None, num_steps: int) -> Choice:
    """Choose between eager and compiled; the state and the streams stay where they are.

    "auto" compiles only what pays: the eager step is timed, and a compilation is taken to cost
    8 s. Where the operations themselves are the cost (4 µs each, whatever their size), a
    compiled step is at least twice as fast, and 16 s of eager running pay for it; elsewhere
    80 s are asked for, of which a useless compilation is a tenth. A compiled step that turns
    out not to be faster is dropped.

    Args:
        mode: True, False or "auto".
        part: the state after its first step.
        world: what it steps in.
        h: the step size, None if it changes.
        num_steps: steps to come.
    """
    eager = EagerStep(part, world)
    if mode is False:
        return Choice(eager, False)
    if h is None:
        said = "" if mode == "auto" else "the step size changes, and a program is made for one"
        return Choice(eager, False, said)
    rehearsed = EagerStep(copy_part(part), world)
    seconds = (
        0.0
        if mode is True
        else _seconds_per_step(rehearsed, part, world, h, 2 * COMPILE_SECONDS / num_steps)
    )
    if mode == "auto" and seconds * num_steps < 2 * COMPILE_SECONDS:
        return Choice(eager, False)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's own, about its own
            compiled = CompiledStep(part, world, h)
            is_overhead = seconds < 2 * OP_SECONDS * compiled.num_ops
            needed = (2 if is_overhead else 10) * COMPILE_SECONDS
            if mode == "auto" and seconds * num_steps < needed:
                return Choice(eager, False)
            _compare(compiled, part, world, h)
    except (RuntimeError, NotImplementedError) as error:
        first = str(error).strip().partition("\n")[0]
        return Choice(eager, False, f"cannot compile this step, so it runs as it is: {first}")
    if mode == "auto" and _seconds_per_step(compiled, part, world, h) >= seconds:
        return Choice(eager, False, "compiled, but not faster than eager")
    return Choice(compiled, True)


def copy_part(part: Part) -> Part:
    """Return a copy of `part` that shares no tensor with it."""
    return _bind(part, clone(_tensors(part)))


def _tensors(part: Part) -> list[Tensor]:
    """List every tensor a step reads or writes, in a fixed order."""
    tensors = [*part.variables(), *part.force.tensors]
    for force in part.components.values():
        tensors += force.tensors
    tensors += [] if part.energy is None else [part.energy]
    tensors += [part.temperature] if isinstance(part.temperature, Tensor) else []
    return [*tensors, *part.records.values(), *part.coupling.values()]


def _bind(part: Part, tensors: Sequence[Tensor]) -> Part:
    """Return a part like `part` that holds `tensors`, in the order of `_tensors`."""
    rest = iter(tensors)

    def take(like: Sequence[Tensor]) -> list[Tensor]:
        return [next(rest) for _ in like]

    def force(old: Force) -> Force:
        return Force(take(old.tensors), old.scale, old.is_fresh)

    return replace(
        part,
        q=take(part.q),
        p=take(part.p),
        scalars={name: next(rest) for name in part.scalars},
        aux={name: take(like) for name, like in part.aux.items()},
        force=force(part.force),
        components={name: force(old) for name, old in part.components.items()},
        energy=None if part.energy is None else next(rest),
        temperature=next(rest) if isinstance(part.temperature, Tensor) else part.temperature,
        records={name: next(rest) for name in part.records},
        coupling={name: next(rest) for name in part.coupling},
    )


def _flags(part: Part) -> list[bool]:
    return [part.force.is_fresh, *(force.is_fresh for force in part.components.values())]


def _compare(compiled: CompiledStep, part: Part, world: World, h: float) -> None:
    """Run one step both ways on the same draws; a program that differs is not this step."""
    other = copy_part(part)
    with _rehearsal(part, world):
        EagerStep(other, world)(h)
    with _rehearsal(part, world):
        compiled(h)
        for value, expected in zip(_tensors(part), _tensors(other), strict=True):
            loose = 1e-9 if value.dtype is torch.float64 else 1e-3
            scale = float(expected.abs().nan_to_num().max()) if expected.numel() else 0.0
            if not torch.allclose(value, expected, rtol=loose, atol=loose * scale, equal_nan=True):
                raise RuntimeError("the program gives other numbers than the step itself")


@contextmanager
def _rehearsal(part: Part, world: World) -> Generator[None]:
    """Put the state, the counts and the streams back afterwards."""
    before, counts = clone(_tensors(part)), dict(world.evaluate.counts)
    try:
        with world.aside():
            yield
    finally:
        copy_(_tensors(part), before)
        world.evaluate.counts = counts


def _seconds_per_step(
    step: Stepper, part: Part, world: World, h: float, enough: float = 0.0
) -> float:
    """Time a step over a tenth of a second, or until it is below `enough` seconds."""
    best, begin = math.inf, time.perf_counter()
    with _rehearsal(part, world):
        while best > enough and time.perf_counter() - begin < TRIED_SECONDS:
            started = time.perf_counter()
            for _ in range(TIMED_STEPS):
                step(h)
            best = min(best, (time.perf_counter() - started) / TIMED_STEPS)
    return best
