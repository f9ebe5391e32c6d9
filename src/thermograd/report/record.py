"""What a run folder holds, read once: settings, events, draws. No target is needed for it.

A folder is refused where it holds no run, cannot be read, or has recorded too few draws to say
anything. A run that is under way, or was stopped, is read as far as it went, and says so.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._errors import StateError, StoreError
from ..sampling import Summary
from ..sampling._tables import temperatures_in
from ..sampling.folder import RunFolder, read_run_toml
from ..sampling.settings import ensemble_of
from ..sampling.summary import MIN_DRAWS, summarise
from ..sampling.trajectory import ZarrStore

__all__ = ["RunRecord", "read_record"]

Array: TypeAlias = NDArray[np.generic]
Event: TypeAlias = Mapping[str, object]

RECORDED = (
    "the [run] of its configuration says how often it records (every) and from when (burn_in)"
)


@dataclass(frozen=True, eq=False)
class RunRecord:
    """A run, as its folder tells it.

    Attributes:
        name: what to call it: the folder's name, or its path where two names are the same.
        folder: the folder.
        tables: of run.toml.
        events: oldest first.
        posterior: what is inferred, each (W, K, ...).
        sample_stats: how the run went, likewise.
        steps_done: steps up to the last draw or checkpoint.
        num_evaluations: of the force, up to the newest checkpoint, each with all walkers; 0 if
            there is no checkpoint.
        evaluated_to: the step of that checkpoint.
    """

    name: str
    folder: Path
    tables: Mapping[str, Mapping[str, object]]
    events: tuple[Event, ...]
    posterior: Mapping[str, Array]
    sample_stats: Mapping[str, Array]
    steps_done: int
    num_evaluations: int
    evaluated_to: int

    @property
    def run(self) -> Mapping[str, object]:
        """The table [run]."""
        return self.tables["run"]

    @property
    def target(self) -> Mapping[str, object]:
        """The table [target]."""
        return self.tables["target"]

    @property
    def num_walkers(self) -> int:
        """Walkers, W."""
        return int(str(self.run["walkers"]))

    @property
    def num_draws(self) -> int:
        """Draws of a walker, K."""
        arrays = (*self.posterior.values(), *self.sample_stats.values())
        return min(array.shape[1] for array in arrays)

    @property
    def temperature(self) -> float:
        """The temperature asked for."""
        return float(str(self.run["temperature"]))

    @property
    def is_cold(self) -> bool:
        """Whether no part of the run has a temperature."""
        return not any(value > 0 for value in (self.temperature, *self._parts().values()))

    @property
    def steps_asked(self) -> int:
        """The steps asked for."""
        return int(str(self.run["steps"]))

    @property
    def is_finished(self) -> bool:
        """Whether the run got to its last step."""
        return self.steps_done >= self.steps_asked

    @functools.cached_property
    def chains(self) -> list[int]:
        """The walkers that count: those the ensemble reports, without those that were lost."""
        try:
            kept = ensemble_of(self.run).reported(self.num_walkers)
        except StateError:  # an ensemble of the user's own, which run.toml cannot hold
            kept = None
        chosen = range(self.num_walkers) if kept is None else kept
        lost = {event.get("walker") for event in self.events if event.get("kind") == "diverged"}
        return [walker for walker in chosen if walker not in lost]

    @functools.cached_property
    def summary(self) -> Summary:
        """Means, errors and verdicts."""
        stats, temperature = self.sample_stats, self.temperature
        return summarise(self.posterior, stats, temperature, self.chains, self._parts())

    @property
    def positions(self) -> dict[str, Array]:
        """The recorded positions by name, of the walkers that count, each (W, K, size)."""
        asked = self.run.get("observables")
        own = {str(name) for name in asked} if isinstance(asked, (list, tuple)) else set[str]()
        return {
            name: array[self.chains].reshape(len(self.chains), array.shape[1], -1)
            for name, array in self.posterior.items()
            if name not in own
        }

    @property
    def has_all_positions(self) -> bool:
        """Whether every coordinate of the target was recorded."""
        found = sum(array.shape[2] for array in self.positions.values())
        return found == self.target.get("num_params")

    def steps_of_draws(self) -> NDArray[np.int64]:
        """Return the step at which each draw was taken."""
        every, burn_in = int(str(self.run["every"])), int(str(self.run["burn_in"]))
        return burn_in + every * np.arange(1, self.num_draws + 1)

    def _parts(self) -> dict[str, float]:
        parts = self.run.get("arrangement")
        return temperatures_in(parts, self.temperature) if isinstance(parts, dict) else {}


def read_record(folder: str | Path, name: str | None = None) -> RunRecord:
    """Read a run folder.

    Args:
        folder: of the run, finished or not.
        name: what to call the run; the folder's name if not given.

    Raises:
        StoreError: if there is no run in it, it cannot be read, or it has too few draws.
    """
    path = Path(folder)
    tables = read_run_toml(path)
    _check_run(path, tables["run"])
    arrays = _arrays(path)
    num_draws = min((array.shape[1] for array in arrays.values()), default=0)
    if num_draws < MIN_DRAWS:
        raise StoreError(
            f"{path} is half-written: it has {num_draws} draws, and {MIN_DRAWS} are the least that "
            f"says anything. Continue it: thermograd resume {path}; {RECORDED}"
        )
    events = tuple(RunFolder(path, -1).events())
    step, count = _newest_checkpoint(path)
    groups = {
        group: {key[1]: array for key, array in arrays.items() if key[0] == group}
        for group in ("posterior", "sample_stats")
    }
    every, burn_in = (int(str(tables["run"][key])) for key in ("every", "burn_in"))
    return RunRecord(
        name if name is not None else path.resolve().name,
        path,
        tables,
        events,
        groups["posterior"],
        groups["sample_stats"],
        max(step, burn_in + every * num_draws),
        count,
        step,
    )


def _check_run(path: Path, run: Mapping[str, object]) -> None:
    for key in ("walkers", "steps", "every", "burn_in"):
        if not isinstance(run.get(key), int):
            raise StoreError(f"{path / 'run.toml'} is not that of a run: its [run] has no {key!r}")
    if not isinstance(run.get("temperature"), (int, float)):
        raise StoreError(f"{path / 'run.toml'} is not that of a run: it has no temperature")


def _arrays(path: Path) -> dict[tuple[str, str], Array]:
    store = path / "trajectory.zarr"
    if not store.is_dir():
        raise StoreError(
            f"{path} has no trajectory.zarr: the run has not recorded a draw yet, or has lost "
            "them; resume it, or run it again"
        )
    try:
        opened = ZarrStore(store, {})
        return {key: opened.read(key, opened.num_draws) for key in opened.names()}
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise StoreError(f"{store} cannot be read: {error}") from error


def _newest_checkpoint(path: Path) -> tuple[int, int]:
    """Return the step of the newest checkpoint that can be read, and its count of evaluations."""
    for file in sorted(path.glob("checkpoint-*.json"), reverse=True):
        try:
            about = json.loads(file.read_text(encoding="utf-8"))
            return int(about["step"]), sum(about["facts"]["counts"].values())
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return 0, 0
