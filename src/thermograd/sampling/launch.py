"""`sample` starts a run; `resume` continues one from its folder."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .. import arrangements, integrators
from .._checks import require, unknown_name
from .._errors import ParameterError, StateError, StoreError
from ..arrangements import Arrangement, LayerWise
from ..ensembles import Ensemble
from ..geometry import Constraints
from ..potentials.base import Potential
from ..state import Params
from ..thermostat import Thermostat
from ._tables import temperatures_in
from .build import Method, Observed, begin, build, go_on, names_of, positions
from .constraints import Rules, choose, manifold_of, settled
from .fingerprint import fingerprint
from .folder import RunFolder, read_run_toml
from .observables import BUILT_IN, is_xi, resolve
from .run import Run
from .settings import Settings, Toml, ensemble_of
from .stepping import Compile
from .summary import Summary, summarise
from .trajectory import ZarrStore

__all__ = ["draws_of", "resume", "sample", "summary_of"]


def sample(
    target: Potential,
    method: Method = "baoab",
    *,
    walkers: int,
    steps: int,
    every: int = 1,
    burn_in: int = 0,
    seed: int,
    temperature: float | None = None,
    step_size: float | Callable[[int], float],
    friction: float = 1.0,
    mass: float = 1.0,
    thermostat: Thermostat | None = None,
    start: Tensor | Sequence[Tensor] | None = None,
    store: str | Path | None = None,
    params: Sequence[str] = ("*",),
    observables: Sequence[Observed] = (),
    ensemble: Ensemble | None = None,
    geometry: Rules | None = None,
    strict: bool = False,
    noise: str = "gaussian",
    compile: Compile = "auto",
    about: Mapping[str, Toml] | None = None,
    progress: bool = True,
) -> Run:
    """Run walkers of a method on a target, and record what they pass through.

    Args:
        target: the potential U; exp(−U/T) is sampled.
        method: a registry name, a word such as "OBABO", an integrator, a method for each part
            (`thermograd.arrangements`), or a function (part, h, env) that advances `part` in place
            with `part.force` fresh.
        walkers: W > 0, independent copies on the leading axis.
        steps: steps in all, the burn-in included.
        every: record each `every`-th step after the burn-in.
        burn_in: steps before the first recorded one may be.
        seed: from which every random stream is derived.
        temperature: T ≥ 0, in the units of U; not needed where all parts have their own.
        step_size: h > 0, or a map from the step number to it.
        friction: γ ≥ 0, per unit time; for methods with momenta.
        mass: m > 0.
        thermostat: ε, σ and the start of ξ, for methods with a thermostat variable.
        start: positions, each (W, ...); where the target says, if not given.
        store: folder to keep the run in; in memory if not given.
        params: patterns of the names of the positions to record, such as "*.bias".
        observables: names, functions of a `View`, or `Observable`s to record beside them.
        ensemble: how the walkers act on each other, such as `ensembles.QuasiNewton(eta=10)`; not
            at all, if not given.
        geometry: a manifold for all positions; manifolds by name or pattern, all else flat; or
            what `constrain` returned.
        strict: whether to refuse a start off the manifold; it is projected otherwise, with a
            notice.
        noise: "gaussian" or "three_point".
        compile: whether to compile the step; "auto" where it pays.
        about: further tables for run.toml, such as what the target was made of.
        progress: whether to show a bar on a terminal, lines elsewhere.

    Returns:
        the run, finished.
    """
    settings = Settings(
        method=_name(method),
        walkers=walkers,
        steps=steps,
        every=every,
        burn_in=burn_in,
        seed=seed,
        temperature=0.0 if temperature is None else temperature,
        step_size=step_size,
        friction=friction,
        mass=mass,
        thermostat=thermostat,
        noise=noise,
        compile=compile,
        params=tuple(params),
        observables=tuple(entry.name for entry in resolve(observables)),
        ensemble=ensemble if ensemble is not None else Ensemble(),
    )
    settings, q = _placed(settings, target, method, start, geometry, strict)
    settings = replace(settings, temperature=_temperature(temperature, settings.arrangement))
    run = build(target, method, settings, q, observables)
    run.about = {**(about or {}), **run.about}
    _begin(run, store, temperature, progress=progress)
    return run


def resume(
    folder: str | Path,
    target: Potential,
    *,
    method: Method | None = None,
    observables: Sequence[Observed] | None = None,
    step_size: Callable[[int], float] | None = None,
    ensemble: Ensemble | None = None,
    geometry: Rules | None = None,
    progress: bool = True,
) -> Run:
    """Continue a run from the newest whole checkpoint of its folder, bit for bit.

    Args:
        folder: of the run.
        target: the potential it was started with.
        method: the method, if it is one of your own.
        observables: what is recorded beside the positions, if functions of your own are in it.
        step_size: the schedule, if it is one of your own.
        ensemble: the ensemble, if it is one of your own.
        geometry: the manifolds, if one is of your own.
        progress: whether to show it.

    Returns:
        the run, finished; `extend` takes it further.
    """
    opened = RunFolder.open(Path(folder))
    try:
        run = _reopen(opened, target, method, observables, step_size, ensemble, geometry)
    except BaseException:
        opened.close()
        raise
    with _released_on_failure(run):
        run.advance(progress=progress)
    return run


def summary_of(folder: str | Path) -> Summary:
    """Return the summary of the run in a folder, finished or not; needs no target.

    Args:
        folder: of the run; a StoreError if there is none in it.
    """
    path = Path(folder)
    table = read_run_toml(path)["run"]
    temperature = float(str(table["temperature"]))
    store = _store(path)
    arrays = {key: store.read(key, store.num_draws) for key in store.names()}
    posterior = {name: array for (group, name), array in arrays.items() if group == "posterior"}
    stats = {name: array for (group, name), array in arrays.items() if group != "posterior"}
    parts = table.get("arrangement")
    others = temperatures_in(parts, temperature) if isinstance(parts, dict) else {}
    return summarise(posterior, stats, temperature, _reported(table), others)


def draws_of(folder: str | Path) -> dict[str, NDArray[np.generic]]:
    """Return the draws of the run in a folder, each (chain, draw, ...), at its temperature.

    Args:
        folder: of the run; a StoreError if there is none in it.
    """
    path = Path(folder)
    chains = _reported(read_run_toml(path)["run"])
    store = _store(path)
    keys = [key for key in store.names() if key[0] == "posterior"]
    return {key[1]: store.read(key, store.num_draws)[chains] for key in keys}


def _store(path: Path) -> ZarrStore:
    if not (path / "trajectory.zarr").is_dir():
        raise StoreError(f"{path} has lost its trajectory: there is no trajectory.zarr in it")
    return ZarrStore(path / "trajectory.zarr", {})


def _reported(table: Toml) -> list[int]:
    return list(ensemble_of(table).reported(int(str(table["walkers"]))))


def _reopen(
    opened: RunFolder,
    target: Potential,
    method: Method | None,
    observables: Sequence[Observed] | None,
    step_size: Callable[[int], float] | None,
    ensemble: Ensemble | None,
    geometry: Rules | None,
) -> Run:
    tables = opened.read_settings()
    about = tables["target"]
    if (found := fingerprint(target)) != about["fingerprint"]:
        raise StateError(
            f"{opened.path} is a run of another target: its fingerprint is "
            f"{about['fingerprint']}, that of the one given is {found}. The class, the numbers, "
            "the data or the code differ"
        )
    dtype = getattr(torch, str(about["dtype"]).removeprefix("torch."))
    shapes = about["shapes"]
    start = [
        torch.zeros(tuple(shape), dtype=dtype, device=str(about["device"]))
        for shape in (shapes if isinstance(shapes, list) else [])
    ]
    names = names_of(target, len(start))
    settings = Settings.from_toml(
        tables["run"],
        step_size,
        ensemble,
        None if method is None else _arranged(method, names, start),
        None if geometry is None else choose(geometry, names),
    )
    if method is None:
        method = settings.method
        if method.startswith("<") and settings.arrangement is None:
            raise StateError(f"the run's method is your own, {method}: pass it as `method`")
    if observables is None:
        observables = settings.observables
        own = [name for name in observables if name not in BUILT_IN and not is_xi(name)]
        if own:
            raise StateError(f"pass `observables` again; of your own are {', '.join(own)}")
    run = build(target, method, settings, start, observables)
    run.about = {**{name: table for name, table in tables.items() if name != "run"}, **run.about}
    go_on(run, opened)
    return run


@contextmanager
def _released_on_failure(run: Run) -> Generator[None]:
    """Let go of the folder if the run fails, so that it can be resumed from here."""
    try:
        yield
    except BaseException:
        run.close()
        raise


def _placed(
    settings: Settings,
    target: Potential,
    method: Method,
    start: Tensor | Sequence[Tensor] | None,
    geometry: Rules | None,
    strict: bool,
) -> tuple[Settings, Params]:
    """Return the settings with parts and manifolds, and the start on the manifolds."""
    ok = isinstance(target, Potential)  # pyright: ignore[reportUnnecessaryIsInstance]
    require(ok, "target", "sample", "a potential (with `force`)", target)
    q = positions(target, start, settings.walkers)
    names = names_of(target, len(q))
    rules = choose(geometry, names)
    parts = _arranged(method, names, q)
    is_strict = strict or (isinstance(geometry, Constraints) and geometry.strict)
    q = settled(manifold_of(rules, names), q, names, strict=is_strict)
    return replace(settings, arrangement=parts, geometry=rules), q


def _begin(
    run: Run, store: str | Path | None, temperature: float | None, *, progress: bool
) -> None:
    with _released_on_failure(run):
        begin(run, Path(store) if store is not None else None)
        _say_unused(run, temperature)
        run.advance(progress=progress)


def _arranged(method: Method, names: Sequence[str], q: Params) -> Arrangement | None:
    """Return the arrangement that a method is, if it is one."""
    if isinstance(method, str) and method.lower() in arrangements.names():
        method = arrangements.get(method.lower())()
    if isinstance(method, str) and not method.isupper():
        known = [*integrators.names(), *arrangements.names()]
        if method.lower() not in known:
            raise unknown_name("method", method, known, " A word is spelled in capitals.")
    if isinstance(method, LayerWise):
        return method.arrange(list(zip(names, q, strict=True)))
    return None


def _temperature(asked: float | None, arrangement: Arrangement | None) -> float:
    """Return the run's temperature: the highest of the parts, if none is given.

    Raises:
        ParameterError: if it is needed and not given.
    """
    if asked is not None:
        return asked
    specs = dict(arrangement.specs()) if arrangement is not None else {}
    heats = [spec.temperature for spec in specs.values() if spec.temperature is not None]
    if not heats or len(heats) < len(specs):
        raise ParameterError("sample needs a `temperature`: not every part has one of its own")
    return max(heats)


def _say_unused(run: Run, temperature: float | None) -> None:
    chosen = run.settings.arrangement
    specs = dict(chosen.specs()) if chosen is not None else {}
    if temperature is not None and specs and None not in {s.temperature for s in specs.values()}:
        own = ", ".join(f"{label} {spec.temperature:g}" for label, spec in specs.items())
        run.log(
            "temperature",
            says=f"Every part has a temperature of its own ({own}); the run's, {temperature:g}, "
            "is not used.",
        )


def _name(method: Method) -> str:
    if isinstance(method, str):
        return method
    return f"<{getattr(method, '__name__', type(method).__name__)}>"
