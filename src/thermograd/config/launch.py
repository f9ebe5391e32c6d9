"""Starts the run of a configuration, and continues one from its folder alone."""

from pathlib import Path

from .._errors import StateError
from ..sampling import Run, resume, sample
from ..sampling.folder import read_run_toml
from .method import build_geometry, build_method, build_thermostat
from .reading import Source, from_tables, without_written
from .schema import Config
from .target import build_start, build_target

__all__ = ["configuration_of", "continue_run", "start_run"]


def start_run(
    config: Config, source: Source, store: str | Path | None = None, *, progress: bool = True
) -> Run:
    """Run a configuration from the beginning.

    Args:
        config: the configuration.
        source: where its keys come from, for messages.
        store: folder to keep the run in.
        progress: whether to show it.

    Returns:
        the run, finished.
    """
    target = build_target(config, source)
    start = build_start(config, target)
    settings = {name: getattr(config.run, name) for name in type(config.run).model_fields}
    settings["method"] = build_method(config, source, target, start)
    settings["thermostat"] = build_thermostat(config.run.thermostat)
    return sample(
        target,
        **settings,
        geometry=build_geometry(config, source),
        start=start,
        store=store,
        about=config.to_tables(),
        progress=progress,
    )


def configuration_of(folder: str | Path) -> tuple[Config, Source]:
    """Return the configuration of the run in a folder."""
    path = Path(folder) / "run.toml"
    return from_tables(without_written(read_run_toml(Path(folder))), Source(str(path)))


def continue_run(folder: str | Path, *, more: int = 0, progress: bool = True) -> Run:
    """Continue the run in a folder, bit for bit; its run.toml says what its target is.

    Args:
        folder: of the run.
        more: steps to run beyond those asked for so far.
        progress: whether to show it.

    Returns:
        the run, finished.

    Raises:
        StateError: if the target was made in Python.
    """
    if not {"potential", "model"} & read_run_toml(Path(folder)).keys():
        raise StateError(
            f"{folder} is a run of a target made in Python, which run.toml cannot hold; continue "
            f"it with thermograd.sampling.resume({str(folder)!r}, target)"
        )
    config, source = configuration_of(folder)
    run = resume(folder, build_target(config, source), progress=progress)
    return run.extend(more, progress=progress) if more else run
