"""Reads a configuration, with changes from the command line, and says where it is wrong."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from .._checks import unknown_name
from .._errors import ParameterError, StoreError
from ._lines import key_lines, parts
from .schema import Config, Data, Network, Toml
from .training_schema import Training

__all__ = [
    "Source",
    "from_tables",
    "from_text",
    "is_training",
    "read",
    "read_training",
    "training_from_text",
    "without_written",
]

WRITTEN_BY_RUNS = ("target", "versions")
WRITTEN_INTO_RUN = ("arrangement", "geometry")  # what the other tables made
BY_LABEL = ("parts", "geometry")  # tables of tables
ONE_OF_DATA = ("name", "text", "toy", "file")


@dataclass(frozen=True, slots=True)
class Source:
    """Where each key of a configuration comes from, for messages.

    Attributes:
        name: of the file.
        lines: of its keys.
        changed: keys that the command line set, and how.
    """

    name: str
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    changed: Mapping[tuple[str, ...], str] = field(default_factory=dict[tuple[str, ...], str])

    def of(self, path: tuple[str, ...]) -> str:
        """Return the place of a key, or of the nearest table around it."""
        while path:
            if path in self.changed:
                return self.changed[path]
            if path in self.lines:
                return f"{self.name}, line {self.lines[path]}"
            path = path[:-1]
        return self.name

    def error(self, path: tuple[str, ...], said: object) -> ParameterError:
        """Return the error about a key."""
        return ParameterError(f"{self.of(path)}: {said}")


def read(path: str | Path, changes: Mapping[str, str] | None = None) -> tuple[Config, Source]:
    """Read a configuration from a file.

    Args:
        path: of the file.
        changes: values, as TOML, for dotted keys; they replace what the file says.

    Returns:
        the configuration, checked, and where its keys come from.
    """
    file = Path(path)
    return from_text(_text(file), str(file), changes, file.parent)


def read_training(
    path: str | Path, changes: Mapping[str, str] | None = None
) -> tuple[Training, Source]:
    """Read the configuration of a training run from a file; as `read` otherwise."""
    file = Path(path)
    return training_from_text(_text(file), str(file), changes, file.parent)


def is_training(path: str | Path) -> bool:
    """Tell whether a file describes a training run: whether it has a table `[train]`."""
    return "train" in _toml(_text(Path(path)), str(path))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise StoreError(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"{file} is no text: {error}") from error


def _toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"{name} is no TOML: {error}") from error


def from_text(
    text: str,
    name: str = "configuration",
    changes: Mapping[str, str] | None = None,
    folder: Path = Path(),
) -> tuple[Config, Source]:
    """Return the configuration that a text holds; see `read`.

    Args:
        text: TOML.
        name: what to call it in messages.
        changes: as in `read`.
        folder: where the files and modules that it names are.
    """
    tables, source = _changed_tables(text, name, changes, folder)
    return from_tables(without_written(tables), source)


def training_from_text(
    text: str,
    name: str = "configuration",
    changes: Mapping[str, str] | None = None,
    folder: Path = Path(),
) -> tuple[Training, Source]:
    """Return the configuration of a training run that a text holds; as `from_text` otherwise."""
    tables, source = _changed_tables(text, name, changes, folder)
    try:
        config = Training.model_validate(tables)
    except ValidationError as error:
        raise _error(error.errors(), source, Training) from None
    _check_data(config.data, source)
    if (config.train.steps is None) == (config.train.epochs is None):
        raise source.error(("train",), "[train] needs one of 'steps' and 'epochs'")
    seed = config.train.seed
    resolved = {
        "model": _resolved_model(config.model, seed),
        "data": _resolved_data(config.data, seed, config.origin.folder),
    }
    return config.model_copy(update=resolved), source


def _changed_tables(
    text: str, name: str, changes: Mapping[str, str] | None, folder: Path
) -> tuple[dict[str, Any], Source]:
    """Return the tables of a text with the changes made, and where their keys come from."""
    tables = _toml(text, name)
    changed: dict[tuple[str, ...], str] = {}
    for key, value in (changes or {}).items():
        changed[parts(key)] = f"--set {key}={value}"
        _put(tables, key, value)
    tables.setdefault("origin", {"folder": str(folder.resolve())})
    return tables, Source(name, key_lines(text), changed)


def from_tables(tables: Toml, source: Source) -> tuple[Config, Source]:
    """Return the configuration that tables hold, checked."""
    try:
        config = Config.model_validate(tables)
    except ValidationError as error:
        raise _error(error.errors(), source, Config) from None
    _check_combination(config, source)
    return _resolved(config), source


def without_written(tables: Toml) -> dict[str, Any]:
    """Return the tables of a run.toml that are configuration."""
    kept = {name: table for name, table in tables.items() if name not in WRITTEN_BY_RUNS}
    run = kept.get("run")
    if isinstance(run, Mapping):
        kept["run"] = {key: run[key] for key in run if key not in WRITTEN_INTO_RUN}
    return kept


def _put(tables: dict[str, Any], key: str, value: str) -> None:
    """Set a dotted key; a value that is no TOML is taken as a word."""
    *inner, last = parts(key) or ("",)
    place = tables
    for name in inner:
        place = place.setdefault(name, {})
        if not isinstance(place, dict):
            raise ParameterError(f"--set {key}: {name!r} is a value and has no keys")
    try:
        place[last] = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        place[last] = value


def _error(found: Iterable[ErrorDetails], source: Source, root: type[BaseModel]) -> ParameterError:
    """Return an error that has a line for each problem, unknown keys first."""
    problems = sorted(found, key=lambda problem: problem["type"] != "extra_forbidden")
    said: list[str] = []
    for problem in problems:
        path = tuple(str(part) for part in problem["loc"])
        said.append(f"{source.of(path)}: {_problem(path, problem, root)}")
    return ParameterError("; ".join(dict.fromkeys(said)))


def _problem(path: tuple[str, ...], problem: ErrorDetails, root: type[BaseModel]) -> str:
    table, key = ".".join(path[:-1]), path[-1]
    owner = f"[{table}]" if table else "the configuration"
    if problem["type"] == "extra_forbidden":
        return str(unknown_name(f"key of {owner}", key, _known(path[:-1], root)))
    if problem["type"] == "missing":
        return f"{owner} needs {key!r}"
    return f"the {key!r} of {owner} must {_constraint(problem)}; got {problem['input']!r}"


def _constraint(problem: ErrorDetails) -> str:
    context = problem.get("ctx", {})
    words = {
        "int_type": "be an integer",
        "float_type": "be a number",
        "string_type": "be a string, in quotes",
        "bool_type": "be true or false",
        "tuple_type": "be a list",
        "dict_type": "be a table",
        "model_type": "be a table",
        "greater_than": f"be above {context.get('gt')}",
        "greater_than_equal": f"be {context.get('ge')} or above",
        "finite_number": "be finite",
        "literal_error": f"be one of {context.get('expected')}",
        "value_error": str(context.get("error")),
    }
    return words.get(problem["type"], f"be otherwise: {problem['msg']}")


def _known(path: tuple[str, ...], root: type[BaseModel]) -> list[str]:
    """Return the keys of a table; those of the first with their table where it is missing."""
    if not path:
        first = next(iter(root.model_fields))
        return [*root.model_fields, *(f"{first}.{key}" for key in _fields((first,), root))]
    return list(_fields(path, root))


def _fields(path: tuple[str, ...], root: type[BaseModel]) -> Iterator[str]:
    model = root
    for name in (path[0], *path[2:]) if path[0] in BY_LABEL else path:
        kinds = (model.model_fields[name].annotation, *_arguments(model, name))
        model = next(k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel))
    yield from model.model_fields


def _arguments(model: type[BaseModel], name: str) -> tuple[object, ...]:
    return getattr(model.model_fields[name].annotation, "__args__", ())


def _check_combination(config: Config, source: Source) -> None:
    """Refuse tables and keys that do not go together."""
    given = {name for name in ("model", "data", "loss", "prior") if getattr(config, name)}
    if config.potential is not None and given:
        table = min(given)
        raise source.error((table,), f"[{table}] belongs to a network, and there is a [potential]")
    if config.potential is None and not {"model", "data", "loss"} <= given:
        missing = ", ".join(f"[{name}]" for name in ("model", "data", "loss") if name not in given)
        raise source.error(
            (), f"there is no target: give [potential], or [model], [data] and [loss]; no {missing}"
        )
    _check_method(config, source)
    if config.run.burn_in >= config.run.steps:
        said = f"below the number of steps, {config.run.steps}; got {config.run.burn_in}"
        raise source.error(("run", "burn_in"), f"the 'burn_in' of [run] must be {said}")
    if config.data is not None:
        _check_data(config.data, source)


def _check_data(data: Data, source: Source) -> None:
    named = [key for key in ONE_OF_DATA if getattr(data, key) is not None]
    if len(named) != 1:
        said = f"exactly one of {', '.join(ONE_OF_DATA)}; it has {', '.join(named) or 'none'}"
        raise source.error(("data",), f"[data] needs {said}")
    if data.options and data.toy is None:
        raise source.error(("data", "options"), "the 'options' of [data] are those of 'toy'")


def _check_method(config: Config, source: Source) -> None:
    """Refuse tables of methods that do not go together."""
    has_own = config.method is not None or config.partition is not None
    if config.run.temperature is None and not has_own:
        raise source.error(("run",), "[run] needs 'temperature'")
    is_given = "method" in config.run.model_fields_set and not config.run.method.startswith("<")
    if is_given and has_own:
        table = "method" if config.method is not None else "partition"
        raise source.error(("run", "method"), f"there is a 'method' in [run] and a [{table}]")
    if config.parts and config.partition is None:
        raise source.error(("parts",), "[parts] needs a [partition] that says which is which")
    if config.parts and config.method is not None:
        raise source.error(("parts",), "[parts] cannot stand beside [method], which has its own")
    if config.partition is not None and config.method is None and not config.parts:
        raise source.error(("partition",), "[partition] needs [parts.<label>], or a [method]")


def _resolved(config: Config) -> Config:
    """Return the configuration with every seed and path written out."""
    changes: dict[str, object] = {}
    if config.model is not None:
        changes["model"] = _resolved_model(config.model, config.run.seed)
    if config.data is not None:
        changes["data"] = _resolved_data(config.data, config.run.seed, config.origin.folder)
    return config.model_copy(update=changes)


def _resolved_model(model: Network, seed: int) -> Network:
    return model if model.seed is not None else model.model_copy(update={"seed": seed})


def _resolved_data(data: Data, seed: int, folder: str) -> Data:
    changes: dict[str, object] = {"seed": seed if data.seed is None else data.seed}
    for key in ("file", "folder"):
        path: str | None = getattr(data, key)
        if path is not None:
            changes[key] = str(Path(folder, path).expanduser())
    return data.model_copy(update=changes)
