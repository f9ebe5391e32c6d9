"""A run: its state, the loop that advances it, and what it recorded."""

import math
import signal
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .._checks import positive_int
from .._errors import MissingExtraError, NonFiniteError
from .._foreach import dot
from ..arrangements import Arranged
from ..ensembles import Moment
from ..potentials.base import Batch
from ..state import Part
from . import checkpoint, checks
from .checkpoint import Checkpoint
from .checks import Watch
from .folder import RunFolder
from .observables import Observable, View, kinetic_temperature, row
from .progress import Display
from .settings import Settings, Toml
from .state_tensors import ensemble_tensors, state_tensors
from .stepping import EagerStep, Stepper, choose
from .streams import stream
from .summary import Summary, summarise
from .trajectory import Trajectory
from .world import World, minibatched

if TYPE_CHECKING:
    import xarray

__all__ = ["Run"]

Event: TypeAlias = Mapping[str, object]

BLOCK = 64  # steps between two looks at the energies
CHECKPOINT_SECONDS = 30.0
CHECKPOINT_SHARE = 20  # a checkpoint may cost a twentieth of the time


@dataclass(slots=True)
class Run:
    """A run of a sampler, finished or not.

    Attributes:
        settings: what was asked for.
        world: target, method and streams.
        part: the state.
        names: names of the positions.
        observables: what is recorded.
        trajectory: what was recorded.
        folder: where it is kept; None in memory.
        about: tables of run.toml beside the settings.
        step: steps done.
        is_alive: whether each walker still runs, (W,).
        events: what happened, oldest first.
        watch: what the checks remember.
    """

    settings: Settings
    world: World
    part: Part
    names: Sequence[str]
    observables: Sequence[Observable]
    trajectory: Trajectory
    folder: RunFolder | None
    about: Mapping[str, Toml]
    step: int = 0
    is_alive: NDArray[np.bool_] = field(default_factory=lambda: np.ones(0, bool))
    events: list[Event] = field(default_factory=list[Event])
    watch: Watch = field(default_factory=Watch)
    _stepper: Stepper | None = None
    _display: Display | None = None
    _checkpoint: str = ""
    _unsaid: list[str] = field(default_factory=list[str])

    @property
    def view(self) -> View:
        """The state as observables see it."""
        method = self.world.method
        return View(
            self.part,
            self.world.target,
            self.names,
            self.step,
            self.settings.seed,
            method if isinstance(method, Arranged) else None,
        )

    @property
    def posterior(self) -> dict[str, NDArray[np.generic]]:
        """The recorded positions and functions of them, each (chain, draw, ...)."""
        return self._group("posterior")

    @property
    def sample_stats(self) -> dict[str, NDArray[np.generic]]:
        """What was recorded about the run, each (chain, draw, ...)."""
        return self._group("sample_stats")

    def extend(self, steps: int, *, progress: bool = True) -> "Run":
        """Run on: `steps` more than have been asked for so far.

        Args:
            steps: how many more.
            progress: whether to show it.

        Returns:
            this run.
        """
        positive_int(steps, "steps", "extend")
        self.settings = replace(self.settings, steps=self.settings.steps + steps)
        self.write_settings()
        self.log("extended", steps=self.settings.steps)
        self.advance(progress=progress)
        return self

    def advance(self, *, progress: bool = True) -> None:
        """Run to the last step asked for."""
        steps = self.settings.steps
        if self.step >= steps:
            return
        with (
            torch.no_grad(),
            _interrupts() as interrupted,
            Display(progress, self.step, steps) as self._display,
        ):
            for said in self._unsaid:
                self._display.say(said)
            self._unsaid.clear()
            if self.step == 0:
                with self.world.aside():
                    checks.at_start(self)
            due = time.monotonic() + CHECKPOINT_SECONDS
            while self.step < steps and not interrupted.is_set():
                self._run_block(interrupted)
                if 2 * self.step >= steps + self.settings.burn_in:
                    checks.at_middle(self)
                if time.monotonic() > due:
                    began = time.monotonic()
                    with self.world.aside():
                        checks.on_the_way(self)
                    self.save()
                    cost = time.monotonic() - began
                    due = began + cost + max(CHECKPOINT_SECONDS, CHECKPOINT_SHARE * cost)
                self._show()
            if self.step == steps:
                with self.world.aside():
                    checks.at_end(self)
            self.save()
            self._display.finish(self.step)
            if interrupted.is_set():
                self.log("interrupted", hint="resume the run, or extend it, to go on")
                raise KeyboardInterrupt
        self._display = None

    def save(self) -> None:
        """Write what is recorded and a checkpoint, if the run is on disk."""
        self.trajectory.flush()
        if self.folder is None:
            return
        tensors = {**state_tensors(self.part), **ensemble_tensors(self.part), **self.world.save()}
        tensors["alive"] = torch.from_numpy(self.is_alive.copy())
        counts = {name or "": number for name, number in self.world.evaluate.counts.items()}
        flags = {"": self.part.force.is_fresh}
        flags |= {name: force.is_fresh for name, force in self.part.components.items()}
        facts = {"counts": counts, "is_fresh": flags, "watch": self.watch.facts()}
        saved = Checkpoint(self.step, self.trajectory.num_draws, tensors, facts)
        checkpoint.save(self.folder.path, saved)
        self._checkpoint = saved.name

    def write_settings(self) -> None:
        """Write run.toml, if the run is on disk."""
        if self.folder is not None:
            self.folder.write_settings({"run": self.settings.to_toml(), **self.about})

    def log(self, kind: str, **facts: object) -> None:
        """Add an event, and say its hint."""
        event = {"step": self.step, "kind": kind, **facts}
        self.events.append(event)
        if self.folder is not None:
            self.folder.log(event)
        said = " ".join(str(facts[name]) for name in ("says", "hint") if name in facts)
        if not said:
            return
        if self._display is not None:
            self._display.say(said)
        else:
            self._unsaid.append(said)

    def close(self) -> None:
        """Let go of the run folder, so that another process may resume the run."""
        self.trajectory.settle()
        if self.folder is not None:
            self.folder.close()

    def summary(self) -> Summary:
        """Return means, errors and verdicts of what was recorded, without the walkers lost."""
        chains = self.settings.ensemble.reported(self.settings.walkers)
        return summarise(
            self.posterior,
            self.sample_stats,
            self.settings.temperature,
            chains,
            self.settings.part_temperatures,
        )

    def to_arviz(self) -> "xarray.DataTree":
        """Return the draws as the tree that ArviZ reads, with groups posterior and sample_stats.

        Raises:
            MissingExtraError: without xarray.
        """
        try:
            import xarray
        except ImportError as error:
            raise MissingExtraError(
                "to_arviz needs xarray; install it with pip install 'thermograd[analysis]'"
            ) from error
        groups = {"posterior": self.posterior, "sample_stats": self.sample_stats}
        return xarray.DataTree.from_dict(
            {
                group: xarray.Dataset({name: (_dims(name, v), v) for name, v in arrays.items()})
                for group, arrays in groups.items()
            }
        )

    def _group(self, group: str) -> dict[str, NDArray[np.generic]]:
        read = self.trajectory.read()
        return {name: value for (kind, name), value in read.items() if kind == group}

    def _run_block(self, interrupted: threading.Event) -> None:
        settings, part = self.settings, self.part
        stepper = self._ready_stepper()
        drawn = self.step - settings.burn_in
        to_draw = settings.every - drawn % settings.every if drawn >= 0 else -drawn
        to_update = settings.ensemble.next_update(self.step) - self.step
        num = 1 if self.step == 0 else min(settings.steps - self.step, to_draw, to_update, BLOCK)
        schedule, history = settings.schedule, list[Tensor]()
        for _ in range(num):
            stepper(schedule(self.step))
            self.step += 1
            if part.energy is not None:
                history.append(part.energy.clone())
            if interrupted.is_set():
                break
        self._stop_lost(history)
        if settings.ensemble.next_update(self.step - 1) == self.step:
            self._update_ensemble()
        drawn = self.step - settings.burn_in
        is_due = drawn > 0 and drawn % settings.every == 0
        if is_due and settings.ensemble.is_recorded(self.step):
            self.trajectory.append(row(self.observables, self.view))

    def _update_ensemble(self) -> None:
        settings, world, device = self.settings, self.world, self.part.q[0].device
        generator = stream(settings.seed, f"ensemble at step {self.step}", device)
        target = minibatched(world.target)

        def draw_batch() -> Batch:
            return None if target is None else target.draw_batch(settings.walkers, generator)

        moment = Moment(
            step=self.step,
            step_size=settings.schedule(self.step),
            is_alive=torch.from_numpy(self.is_alive).to(device),
            potential=world.potential,
            draw_batch=draw_batch,
            generator=generator,
        )
        for kind, facts in settings.ensemble.update(self.part, moment):
            self.log(kind, **facts)

    def _ready_stepper(self) -> Stepper:
        """Return the eager step for the very first step, then what is chosen."""
        if self.step == 0:
            return EagerStep(self.part, self.world)
        if self._stepper is None:
            settings = self.settings
            chosen = choose(
                settings.compile,
                self.part,
                self.world,
                settings.fixed_step_size,
                settings.steps - self.step,
            )
            self._stepper = chosen.step
            if chosen.reason:
                self.log("eager", says=chosen.reason)
            if settings.compile != chosen.is_compiled:
                self.settings = replace(settings, compile=chosen.is_compiled)
                self.write_settings()
        return self._stepper

    def _stop_lost(self, history: list[Tensor]) -> None:
        """Find walkers whose energy is not finite, and stop them."""
        if not history:
            return
        energies = torch.stack(history)  # (steps, W)
        is_dead = torch.from_numpy(~self.is_alive).to(energies.device)
        is_good = torch.isfinite(energies) | is_dead
        if bool(is_good.all()):
            if self.step >= self.watch.next_look:
                self.watch.norms = dot(self.part.q, self.part.q).sqrt()
                self.watch.next_look = self.step + BLOCK
            return
        bad = ~is_good.cpu().numpy()
        for walker in np.flatnonzero(bad.any(axis=0)):
            first = int(np.argmax(bad[:, walker]))
            self.is_alive[walker] = False
            for tensor in state_tensors(self.part).values():
                if tensor.is_floating_point():
                    tensor[walker] = math.nan
            self.log(
                "diverged",
                walker=int(walker),
                at=self.step - len(history) + first + 1,
                norm=self.watch.norm_of(int(walker)),
                checkpoint=self._checkpoint,
                says=f"walker {walker} diverged and stops; the others go on.",
                hint=self.watch.hint(self.settings, self.part),
            )
        if not self.is_alive.any():
            self.save()
            raise NonFiniteError(
                f"all {len(self.is_alive)} walkers diverged by step {self.step}. "
                + self.watch.hint(self.settings, self.part)
            )

    def _show(self) -> None:
        display = self._display
        if display is None or not display.is_due:
            return
        alive = torch.from_numpy(self.is_alive)
        temperature = float(kinetic_temperature(self.view).cpu()[alive].mean())
        energy = self.part.energy
        worst = ""
        if energy is not None:
            high = energy.cpu().nan_to_num(nan=-math.inf)
            worst = f"worst walker {int(high.argmax())}: U = {float(high.max()):.4g}"
        display.show(self.step, temperature, worst)


def _dims(name: str, value: NDArray[np.generic]) -> tuple[str, ...]:
    return ("chain", "draw", *(f"{name}_dim_{axis}" for axis in range(value.ndim - 2)))


@contextmanager
def _interrupts() -> Generator[threading.Event]:
    """Turn the first Ctrl-C into a flag, so that no step is cut in the middle."""
    flag = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return
    old = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: object) -> None:
        if flag.is_set():
            raise KeyboardInterrupt
        flag.set()

    signal.signal(signal.SIGINT, note)
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, old)
