"""Builds what a configuration describes: data, network or analytic potential."""

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager

import torch

from .. import potentials
from .._checks import unknown_name
from .._errors import ParameterError, UnknownNameError
from ..data.dataset import Dataset
from ..models import resolve_model
from ..potentials import Network, likelihoods, priors
from ..potentials.analytic import Analytic
from ..potentials.base import Potential
from ..potentials.likelihoods import Likelihood
from ..potentials.priors import PerParameter, Prior
from ..sampling.streams import stream
from ..state import Params
from ._called import called
from ._dataset import read_data
from .reading import Source
from .schema import Config, Loss

__all__ = ["at", "build_loss", "build_start", "build_target", "load_data"]

PRIORS: Mapping[str, type[Prior]] = {
    kind.__name__: kind
    for kind in (priors.Flat, priors.Gaussian, priors.Horseshoe, priors.Laplace, priors.Walls)
}


def build_target(config: Config, source: Source) -> Potential:
    """Return the potential that a configuration describes.

    Args:
        config: the configuration.
        source: where its keys come from, for messages.
    """
    if config.potential is not None:
        with at(source, "potential"):
            return _analytic(config.potential.name, config.potential.options)
    if config.model is None or config.loss is None or config.data is None:
        raise source.error((), "there is no target: give [model], [data] and [loss]")
    data = load_data(config, source)
    with at(source, "model"), _importable(config.origin.folder):
        generator = stream(config.model.seed or 0, "model")
        model = resolve_model(config.model.name, generator=generator, **config.model.options)
        model = model.to(getattr(torch, config.model.dtype))
    loss = build_loss(config, source)
    with at(source, "prior"):
        prior = None if config.prior is None else _prior(config.prior.name, config.prior.options)
    with at(source, "model"):
        return Network(
            model,
            loss,
            (data.x, data.y),
            prior,
            config.data.batch_size,
            scale=config.model.scale,
            frozen=config.model.frozen,
        )


def build_loss(config: Config, source: Source) -> Likelihood:
    """Return the loss that a configuration names.

    Args:
        config: the configuration.
        source: where its keys come from, for messages.
    """
    if config.loss is None:
        raise source.error((), "there is no [loss]")
    with at(source, "loss"):
        return _loss(config.loss)


def build_start(config: Config, target: Potential) -> Params:
    """Return where the walkers start.

    Raises:
        ParameterError: if the target does not say.
    """
    num = config.run.walkers
    model = config.model
    if isinstance(target, Network) and model is not None:
        generator = stream(model.seed or 0, "start")
        return target.start(num, generator, init=model.init, spread=model.spread)
    if isinstance(target, Analytic):
        return target.start(num)
    raise ParameterError(f"{type(target).__name__} does not say where to start")


def load_data(config: Config, source: Source) -> Dataset:
    """Return the data of a configuration, split and scaled as it says.

    Args:
        config: the configuration.
        source: where its keys come from, for messages.

    Raises:
        ParameterError: if the configuration has no data.
    """
    if config.data is None:
        raise ParameterError("the configuration has no [data]: its target is analytic")
    dtype = config.model.dtype if config.model is not None else "float64"
    with at(source, "data"):
        return read_data(config.data, getattr(torch, dtype))


@contextmanager
def at(source: Source, *path: str) -> Generator[None]:
    """Say of what is wrong with a table's values where the table is."""
    try:
        yield
    except (ParameterError, UnknownNameError) as error:
        raise source.error(path, error) from error


@contextmanager
def _importable(folder: str) -> Generator[None]:
    """Let modules be imported from the folder of the configuration."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _analytic(name: str, options: Mapping[str, object]) -> Potential:
    known = {
        key: value
        for key, value in vars(potentials).items()
        if isinstance(value, type) and issubclass(value, Analytic) and value is not Analytic
    }
    if name not in known:
        raise unknown_name("analytic potential", name, known)
    return called(known[name], name, options)


def _loss(table: Loss) -> Likelihood:
    if table.name == "gaussian" and table.options:
        return called(likelihoods.Gaussian, table.name, table.options)
    for key in table.options:
        raise unknown_name(f"option of the loss {table.name}", key, ())
    return likelihoods.by_name(table.name)


def _prior(name: str, options: Mapping[str, object]) -> Prior | PerParameter:
    if name != "PerParameter":
        if name not in PRIORS:
            raise unknown_name("prior", name, (*PRIORS, "PerParameter"))
        return called(PRIORS[name], name, options)
    chosen: dict[str, Prior] = {}
    entries = options.get("priors", {})
    for pattern, entry in entries.items() if isinstance(entries, Mapping) else ():
        if not isinstance(entry, Mapping) or entry.get("name") not in PRIORS:
            raise ParameterError(
                f"the prior of {pattern!r} must be a table with a name, one of "
                f"{', '.join(PRIORS)}; got {entry!r}"
            )
        rest = {key: value for key, value in entry.items() if key != "name"}
        chosen[pattern] = called(PRIORS[entry["name"]], entry["name"], rest)
    return PerParameter(chosen)
