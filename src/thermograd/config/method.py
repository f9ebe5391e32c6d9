"""Builds what moves a target: its method, its parts and its geometry."""

import functools
import inspect
from collections.abc import Mapping

from .. import arrangements, geometry, partitions
from .._checks import unknown_name
from .._errors import ParameterError
from ..arrangements import Arrangement, LayerWise, PartMethod
from ..geometry import Manifold
from ..partitions import Partition
from ..potentials.base import Potential
from ..sampling.build import names_of
from ..sampling.streams import stream
from ..state import Params
from ..thermostat import Thermostat
from ._called import called
from .reading import Source
from .schema import Config, Part
from .schema import Thermostat as ThermostatTable
from .target import at

__all__ = ["build_geometry", "build_method", "build_thermostat"]

MANIFOLDS = ("Circle", "Flat", "Orthogonal", "Sphere")
PARTITIONS = ("by_layer", "by_pattern", "first", "last", "random_subset")


def build_method(
    config: Config, source: Source, target: Potential, start: Params
) -> str | LayerWise:
    """Return the method that a configuration describes.

    Args:
        config: the configuration.
        source: where its keys come from, for messages.
        target: what it moves.
        start: positions of the walkers.
    """
    found: Partition | None = None
    if config.partition is not None:
        with at(source, "partition"):
            found = _partition(config, list(zip(names_of(target, len(start)), start, strict=True)))
    if config.method is not None:
        with at(source, "method"):
            name, options = config.method.name, config.method.options
            if name.lower() not in arrangements.names():
                raise unknown_name("method of parts", name, arrangements.names())
            make = arrangements.get(name.lower())
            if "partition" in options:
                raise ParameterError("the parts go into a table of their own, [partition]")
            if found is not None:
                make = functools.partial(make, partition=found)
            return called(make, name, options)
    if found is not None:
        with at(source, "parts"):
            return Arrangement(found, {label: _part(part) for label, part in config.parts.items()})
    return config.run.method


def build_geometry(config: Config, source: Source) -> Mapping[str, Manifold] | None:
    """Return the manifolds of a configuration, by name or pattern."""
    found: dict[str, Manifold] = {}
    for pattern, table in config.geometry.items():
        with at(source, "geometry", pattern):
            if table.name not in MANIFOLDS:
                raise unknown_name("geometry", table.name, MANIFOLDS)
            found[pattern] = called(getattr(geometry, table.name), table.name, table.options)
    return found or None


def build_thermostat(table: ThermostatTable | None) -> Thermostat | None:
    """Return the thermostat that a table describes."""
    return None if table is None else Thermostat(**table.model_dump())


def _partition(config: Config, named: list[tuple[str, object]]) -> Partition:
    assert config.partition is not None
    name, options = config.partition.name, dict(config.partition.options)
    if name not in PARTITIONS:
        raise unknown_name("partition", name, PARTITIONS)
    make = functools.partial(getattr(partitions, name), named)
    if "generator" in inspect.signature(make).parameters:
        make = functools.partial(make, generator=stream(config.run.seed, "partition"))
    return called(make, name, options)


def _part(table: Part) -> PartMethod:
    return PartMethod(
        table.method,
        friction=table.friction,
        temperature=table.temperature,
        mass=table.mass,
        thermostat=build_thermostat(table.thermostat),
        thermostat_per=table.thermostat_per,
    )
