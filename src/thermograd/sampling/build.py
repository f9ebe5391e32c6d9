"""Puts a run together: from settings for a new one, from a checkpoint for one that goes on."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from .. import _checkpoints
from .._checks import require
from .._errors import EvaluationError, NonFiniteError, ParameterError, StoreError
from ..arrangements import Arranged, LayerWise
from ..geometry import Manifold
from ..geometry import begin as coordinates
from ..integrators import Integrator, Update, check_noise
from ..integrators import resolve as resolve_method
from ..noise import make as make_noise
from ..potentials.base import Potential
from ..state import Env, Params, Part
from . import checks
from .constraints import manifold_of
from .engine import draw_momenta, make_part
from .fingerprint import fingerprint
from .folder import RunFolder
from .observables import (
    Observable,
    View,
    built_in,
    from_record,
    parameters,
    row,
    temperature_of,
)
from .observables import resolve as resolve_observables
from .resources import announce_size, require_memory
from .run import Run
from .settings import Settings, Toml, versions
from .state_tensors import load_state_tensors
from .streams import stream
from .trajectory import MemoryStore, Trajectory, ZarrStore, chunk_length, sweep
from .world import World, minibatched

__all__ = ["Method", "Observed", "begin", "build", "go_on", "names_of", "positions"]

StepFunction: TypeAlias = Callable[[Part, float, Env], None]
Method: TypeAlias = str | Integrator | LayerWise | StepFunction
Observed: TypeAlias = str | Observable | Callable[[View], Tensor]


@runtime_checkable
class Starting(Protocol):
    """A target that says where to start."""

    def start(self, num_walkers: int) -> Params:
        """Return positions, each (W, ...)."""
        ...


def positions(
    target: Potential, start: Tensor | Sequence[Tensor] | None, num_walkers: int
) -> Params:
    """Return the starting positions: those given, or the target's.

    Raises:
        ParameterError: if there are none.
    """
    if start is None:
        if not isinstance(target, Starting):
            raise ParameterError(
                f"{type(target).__name__} does not say where to start; give `start`, a tensor or "
                f"a list of tensors of shape ({num_walkers}, ...)"
            )
        start = target.start(num_walkers)
    q = [start] if isinstance(start, Tensor) else list(start)
    require(bool(q), "start", "sample", "a tensor or a list of tensors", start)
    for tensor in q:
        shape = tuple(tensor.shape)
        ok = tensor.is_floating_point() and len(shape) > 0 and shape[0] == num_walkers
        require(ok, "start", "sample", f"floating point of shape ({num_walkers}, ...)", shape)
        _require_finite(torch.isfinite(tensor).flatten(1).all(1), "starts at NaN or infinity")
    return [tensor.detach() for tensor in q]


def build(
    target: Potential,
    method: Method,
    settings: Settings,
    start: Params,
    observables: Sequence[Observed],
) -> Run:
    """Return a run that has not begun, its trajectory in memory."""
    names = names_of(target, len(start))
    manifold = manifold_of(settings.geometry, names)
    integrator = _integrator(method, settings, names, manifold)
    device = start[0].device
    noise = make_noise(settings.noise, stream(settings.seed, "noise", device))
    for single in _singles(integrator):
        check_noise(single, noise)
    batches = stream(settings.seed, "batches", device)
    part = make_part(
        integrator,
        coordinates(manifold, start),
        friction=settings.friction,
        temperature=settings.temperature,
        mass=settings.mass,
        geometry=manifold,
        thermostat=settings.thermostat,
    )
    ensemble = settings.ensemble
    ensemble.require(part, integrator, settings.temperature)
    ensemble.begin(part)
    _check_temperatures(part, settings)
    asked = resolve_observables(observables)
    watched = _watched(settings, integrator, part, {observable.name for observable in asked})
    return Run(
        settings=settings,
        world=World.make(
            ensemble.wrap(integrator),
            target,
            noise,
            batches,
            settings.walkers,
            method=integrator,
            geometry=manifold,
        ),
        part=part,
        names=names,
        observables=resolve_observables([*parameters(names, settings.params), *watched, *asked]),
        trajectory=Trajectory(MemoryStore(), {}),
        folder=None,
        about=_about(target, start),
        is_alive=np.ones(settings.walkers, bool),
    )


def begin(run: Run, store: Path | None) -> None:
    """Check the start, draw the momenta, open the trajectory and write the first checkpoint."""
    part, world, settings = run.part, run.world, run.settings
    with torch.no_grad():
        _check_energy(run)
        rows = row(run.observables, run.view)
        sizes = {key: value[0].numel() * value.element_size() for key, value in rows.items()}
        row_bytes = settings.walkers * sum(sizes.values())
        num_draws = (settings.steps - settings.burn_in) // settings.every
        require_memory(part, row_bytes * num_draws if store is None else 0)
        if store is not None:
            run.folder = RunFolder.create(store)
        said = announce_size(store, num_draws, row_bytes)
        _open_trajectory(run)
        env = Env(world.noise, world.evaluate)
        for piece in world.method.parts(part) if isinstance(world.method, Arranged) else [part]:
            draw_momenta(piece, env)
        world.integrator.init(part, env)
        run.save()
        run.write_settings()
        if said:
            run.log("size", says=said)


def go_on(run: Run, folder: RunFolder) -> None:
    """Put a built run where the newest whole checkpoint of its folder stands."""
    found, problems = _checkpoints.load_newest(folder.path)
    run.folder = folder
    _open_trajectory(run)
    with torch.no_grad():
        is_fresh = {name: bool(flag) for name, flag in _table(found.facts["is_fresh"]).items()}
        load_state_tensors(run.part, found.tensors, is_fresh)
    run.world.load(dict(found.tensors))
    counts = _table(found.facts["counts"])
    run.world.evaluate.counts = {name or None: int(number) for name, number in counts.items()}
    run.watch = checks.restore(_table(found.facts["watch"]))
    run.is_alive = found.tensors["alive"].numpy().copy()
    run.step = found.step
    run.trajectory.cut(int(str(found.facts["num_draws"])))
    run.events = list(folder.events())
    for problem in problems:
        run.log("damaged_checkpoint", says=f"{problem}; {found.name} is used instead.")
    run.log("resumed", checkpoint=found.name)


def names_of(target: Potential, count: int) -> list[str]:
    """Return the names of a target's positions."""
    given = getattr(target, "names", None)
    if isinstance(given, Sequence) and len(given) == count:
        return [str(name) for name in given]
    return ["q"] if count == 1 else [f"q{index}" for index in range(count)]


def _integrator(
    method: Method, settings: Settings, names: Sequence[str], manifold: Manifold
) -> Integrator:
    if settings.arrangement is not None:
        return settings.arrangement.bind(names, manifold, settings.thermostat)
    if isinstance(method, (str, Integrator)):
        return resolve_method(method)
    require(callable(method), "method", "sample", "a name, an integrator or a function", method)
    assert not isinstance(method, LayerWise)
    return Update(method, has_momenta=True)


def _singles(method: Integrator) -> list[Integrator]:
    return [share.method for share in method.shares] if isinstance(method, Arranged) else [method]


def _check_temperatures(part: Part, settings: Settings) -> None:
    """Refuse parts with temperatures of their own where the walkers have theirs."""
    chosen = settings.arrangement
    if chosen is None or not isinstance(part.temperature, Tensor):
        return
    own = [label for label, spec in chosen.specs() if spec.temperature is not None]
    if own:
        raise ParameterError(
            f"{type(settings.ensemble).__name__} gives every walker a temperature, and the part "
            f"{own[0]!r} has one of its own; leave it to the run with temperature=None"
        )


def _watched(
    settings: Settings, method: Integrator, part: Part, known: set[str]
) -> list[Observable]:
    """Return what is recorded unasked, but for what is known already."""
    found = [built_in("potential"), *_temperatures(method, part)]
    found += [built_in("acceptance")] if method.claims.is_metropolised else []
    found += [from_record(name) for name in settings.ensemble.record_names]
    return [observable for observable in found if observable.name not in known]


def _temperatures(method: Integrator, part: Part) -> list[Observable]:
    """Return the kinetic temperatures that are worth recording."""
    if not isinstance(method, Arranged):
        return [built_in("kinetic_temperature")] if part.p else []
    return [temperature_of(share.label) for share in method.shares if share.method.has_momenta]


def _about(target: Potential, start: Params) -> dict[str, Toml]:
    kind = {
        "kind": type(target).__name__,
        "fingerprint": fingerprint(target),
        "num_params": sum(tensor[0].numel() for tensor in start),
        "dtype": str(start[0].dtype),
        "device": str(start[0].device),
        "shapes": [list(tensor.shape) for tensor in start],
    }
    return {"target": kind, "versions": versions()}


def _check_energy(run: Run) -> None:
    target, q = run.world.target, run.view.positions
    generator = stream(run.settings.seed, "checks at build", q[0].device)
    batched = minibatched(target)
    batch = None if batched is None else batched.draw_batch(run.settings.walkers, generator)
    energy = target.force(q, batch, out=[torch.empty_like(tensor) for tensor in q])
    if tuple(energy.shape) != (run.settings.walkers,):
        raise EvaluationError(
            f"the target must return one energy per walker, shape ({run.settings.walkers},); got "
            f"{tuple(energy.shape)}"
        )
    _require_finite(torch.isfinite(energy), "starts where U is NaN or infinite")


def _require_finite(is_finite: Tensor, what: str) -> None:
    bad = torch.nonzero(~is_finite).flatten().tolist()
    if bad:
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        raise NonFiniteError(f"walker {bad[0]}{more} {what}; choose another start")


def _open_trajectory(run: Run) -> None:
    with torch.no_grad():
        rows = row(run.observables, run.view)
    chunks = {
        key: chunk_length(value.numel() * value.element_size()) for key, value in rows.items()
    }
    if run.folder is None:
        run.trajectory = Trajectory(MemoryStore(), chunks)
        return
    sweep(run.folder.trajectory)
    try:
        run.trajectory = Trajectory(ZarrStore(run.folder.trajectory, chunks), chunks)
    except (OSError, ValueError) as error:
        raise StoreError(f"cannot open {run.folder.trajectory}: {error}") from error


def _table(value: object) -> Mapping[str, float]:
    return value if isinstance(value, dict) else {}
