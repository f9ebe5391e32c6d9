"""The target of a run, built again from its folder, where the folder holds what it takes."""

from dataclasses import dataclass

import torch

from .._errors import ThermogradError
from ..config import Config, Source, build_target
from ..config.reading import from_tables, without_written
from ..potentials import Network
from ..potentials.base import Potential
from ..sampling.fingerprint import fingerprint
from ..state import Params
from .record import RunRecord

__all__ = ["Absent", "Subject", "draws_as_params", "network_of", "rebuild"]

PYTHON = (
    "the target was made in Python, which run.toml cannot hold; a run of a FILE.toml "
    "(thermograd run) keeps what it takes to build it again"
)
PARTIAL = "not every position was recorded; --set run.params='[\"*\"]' records them all"


@dataclass(frozen=True, slots=True)
class Subject:
    """A target with its configuration.

    Attributes:
        target: the potential.
        config: what describes it.
        source: where the configuration is from.
    """

    target: Potential
    config: Config
    source: Source


@dataclass(frozen=True, slots=True)
class Absent:
    """Why something is not there.

    Attributes:
        reason: in words, with what would bring it.
    """

    reason: str


def rebuild(record: RunRecord) -> Subject | Absent:
    """Build the target of a run again, or say why that cannot be."""
    if not {"potential", "model"} & record.tables.keys():
        return Absent(PYTHON)
    source = Source(str(record.folder / "run.toml"))
    try:
        config, source = from_tables(without_written(record.tables), source)
        target = build_target(config, source)
    except (ThermogradError, ImportError, OSError) as error:
        return Absent(f"the target cannot be built again: {error}")
    if fingerprint(target) != record.target.get("fingerprint"):
        return Absent("the target is another one by now: its code, its numbers or its data changed")
    return Subject(target, config, source)


def network_of(record: RunRecord, subject: Subject | Absent) -> Network | Absent:
    """Return the network of a subject whose positions were all recorded, or say what is missing."""
    if isinstance(subject, Absent):
        return subject
    if not isinstance(subject.target, Network):
        return Absent(f"{type(subject.target).__name__} is no network over data")
    return subject.target if record.has_all_positions else Absent(PARTIAL)


def draws_as_params(record: RunRecord, network: Network, most: int) -> Params:
    """Return at most so many draws, spread evenly over the run, each (S, ...)."""
    walkers, total = record.chains, record.num_draws
    share = max(1, most // max(1, len(walkers)))
    every = max(1, -(-total // share))
    chosen = (record.posterior[name][walkers][:, total - 1 :: -every] for name in network.names)
    return [torch.from_numpy(array.copy()).flatten(0, 1) for array in chosen]
