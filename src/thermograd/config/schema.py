"""What a configuration may say: its tables, their keys, types, ranges and defaults."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator

from .. import schedules
from .._checks import positive
from .._errors import ThermogradError
from ..sampling.settings import SCHEDULES

__all__ = [
    "Config",
    "Data",
    "Geometry",
    "Loss",
    "Method",
    "Model",
    "Network",
    "Origin",
    "Part",
    "Partition",
    "Potential",
    "Prior",
    "Run",
    "Table",
    "Thermostat",
    "Toml",
    "described",
    "reference",
]

Toml: TypeAlias = Mapping[str, object]
Schedule: TypeAlias = (
    schedules.Constant | schedules.Cyclical | schedules.Exponential | schedules.Polynomial
)


def _step_size(value: object) -> float | Schedule:
    """Return a step size, or the schedule that a table describes."""
    try:
        if not isinstance(value, Mapping):
            return positive(value, "step_size", "run")  # pyright: ignore[reportArgumentType]
        options = {str(key): entry for key, entry in value.items() if key != "kind"}
        kind = value.get("kind")
        if kind not in SCHEDULES:
            raise ValueError(f"be a table whose kind is one of {', '.join(SCHEDULES)}")
        return getattr(schedules, str(kind))(**options)
    except ThermogradError as error:
        raise ValueError(str(error).partition(" must ")[2].partition("; got")[0]) from error
    except TypeError as error:
        raise ValueError(f"fit its schedule ({error})") from error


def not_nan(value: float | None) -> float | None:
    """Return a number that may be infinite."""
    if value is not None and value != value:
        raise ValueError("be a number, 0 or above, or inf")
    return value


Count = Annotated[int, Field(gt=0)]
Whole = Annotated[int, Field(ge=0)]
Names = Annotated[tuple[str, ...], Field(strict=False)]


class Table(BaseModel):
    """A table whose keys are all known."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Named(BaseModel):
    """A table with a name; its other keys are options of what is called so."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    name: Annotated[str, Field(description="what it is called; other keys are its options")]

    @property
    def options(self) -> dict[str, object]:
        """The keys beside the name."""
        return dict(self.model_extra or {})


class Thermostat(Table):
    """The constants of a thermostat variable."""

    feedback: Annotated[float, Field(gt=0, description="ε")]
    driving_noise: Annotated[float, Field(ge=0, description="σ")]
    coupling: Annotated[
        Literal["plain", "scaled"], Field(description="whether the friction is ξ or εξ")
    ] = "plain"
    initial_xi: Annotated[float, Field(allow_inf_nan=False, description="ξ at the start")] = 0.1


class Run(Table):
    """How to sample: the arguments of `thermograd.sample`."""

    method: Annotated[str, Field(description="name of an integrator, or a word")] = "baoab"
    walkers: Annotated[Count, Field(description="W, independent copies")]
    steps: Annotated[Count, Field(description="steps in all, the burn-in included")]
    every: Annotated[Count, Field(description="record each such step after the burn-in")] = 1
    burn_in: Annotated[Whole, Field(description="steps before the first recorded one")] = 0
    seed: Annotated[Whole, Field(description="every random stream derives from it")] = 0
    temperature: Annotated[
        float | None,
        Field(ge=0, allow_inf_nan=False, description="T, in units of U; parts may have their own"),
    ] = None
    step_size: Annotated[
        float | Schedule,
        PlainValidator(_step_size),
        Field(description="h, or a table `{kind = ..., ...}` of a schedule"),
    ]
    friction: Annotated[
        float,
        Field(ge=0, description="γ, per unit time; may be inf"),
        AfterValidator(not_nan),
    ] = 1.0
    mass: Annotated[float, Field(gt=0, allow_inf_nan=False, description="m")] = 1.0
    thermostat: Annotated[
        Thermostat | None, Field(description="table for methods with a thermostat variable")
    ] = None
    noise: Annotated[Literal["gaussian", "three_point"], Field(description="kind of variates")] = (
        "gaussian"
    )
    compile: Annotated[
        Literal["auto", True, False], Field(description="whether to compile the step")
    ] = "auto"
    params: Annotated[Names, Field(description="patterns of the positions to record")] = ("*",)
    observables: Annotated[Names, Field(description="what to record beside them")] = ()


class Method(_Named):
    """A published method for parts of a network, and its settings; instead of `run.method`."""


class Partition(_Named):
    """Which parameter is in which part: a function of `thermograd.partitions`, its arguments."""


class Part(Table):
    """The method of one part, as `[parts.<label>]`; what is not given is as in `[run]`."""

    method: Annotated[str, Field(description="name of an integrator, or a word")]
    friction: Annotated[
        float | None,
        Field(ge=0, description="γ, per unit time; may be inf"),
        AfterValidator(not_nan),
    ] = None
    temperature: Annotated[float | None, Field(ge=0, allow_inf_nan=False, description="T")] = None
    mass: Annotated[float | None, Field(gt=0, allow_inf_nan=False, description="m")] = None
    thermostat: Annotated[
        Thermostat | None, Field(description="table for methods with a thermostat variable")
    ] = None
    thermostat_per: Annotated[
        Literal["part", "layer", "tensor"], Field(description="what has a ξ of its own")
    ] = "part"


class Geometry(_Named):
    """A manifold for the parameters of a name or pattern, as `[geometry."<pattern>"]`."""


class Potential(_Named):
    """An analytic target, and its arguments."""


class Network(Table):
    """A network."""

    name: Annotated[str, Field(description="a built-in model, or module:attribute")]
    options: Annotated[dict[str, object], Field(description="arguments of that model")] = {}
    seed: Annotated[
        Whole | None, Field(description="of its initial parameters; that of the run if not given")
    ] = None
    dtype: Annotated[
        Literal["float32", "float64"], Field(description="of parameters and inputs")
    ] = "float32"


class Model(Network):
    """A network, and where its walkers start."""

    frozen: Annotated[Names, Field(description="patterns of parameters that stay")] = ()
    init: Annotated[
        Literal["model", "jitter", "reset"],
        Field(description="start at the model, near it, or drawn anew for every walker"),
    ] = "model"
    spread: Annotated[float, Field(ge=0, allow_inf_nan=False, description="sd of the jitter")] = (
        0.01
    )
    scale: Annotated[
        Literal["sum", "mean"], Field(description="U is the sum or the mean over the data")
    ] = "sum"


class Data(Table):
    """The data of a network: one of `name`, `text`, `toy` and `file`."""

    name: Annotated[str | None, Field(description="a set that `thermograd fetch` brings")] = None
    text: Annotated[
        str | None, Field(description="a text that `thermograd fetch` brings, as token numbers")
    ] = None
    length: Annotated[Count, Field(description="tokens in an example of a text")] = 35
    toy: Annotated[str | None, Field(description="a function of `thermograd.data.toy`")] = None
    file: Annotated[
        str | None, Field(description="a .csv with a header, or an .npz with x and y")
    ] = None
    options: Annotated[dict[str, object], Field(description="arguments of the toy function")] = {}
    folder: Annotated[str | None, Field(description="data folder, for `name` and `text`")] = None
    target: Annotated[
        str | None, Field(description="column of the targets in a .csv; the last if not given")
    ] = None
    num_test: Annotated[Whole, Field(description="rows held out, chosen at random")] = 0
    normalise: Annotated[bool, Field(description="inputs to mean 0 and sd 1")] = True
    normalise_targets: Annotated[bool, Field(description="targets too (regression)")] = False
    seed: Annotated[
        Whole | None, Field(description="of toy data and the split; that of the run if not given")
    ] = None
    batch_size: Annotated[
        Count | None, Field(description="examples in a batch; all if not given")
    ] = None


class Loss(_Named):
    """The loss of a network: a name that `potentials.Network` takes; `gaussian` takes an sd."""


class Prior(_Named):
    """The prior of a network: a class of `potentials.priors`, and its arguments."""


class Origin(Table):
    """Where the configuration was read."""

    folder: Annotated[str, Field(description="for modules and files that it names")] = "."


class Config(Table):
    """A whole configuration: `run`, and either `potential` or `model`, `data` and `loss`."""

    run: Run
    method: Method | None = None
    partition: Partition | None = None
    parts: dict[str, Part] = {}
    geometry: dict[str, Geometry] = {}
    potential: Potential | None = None
    model: Model | None = None
    data: Data | None = None
    loss: Loss | None = None
    prior: Prior | None = None
    origin: Origin = Origin()

    def to_tables(self) -> dict[str, Toml]:
        """Return the tables beside `run`, without what is not given."""
        tables = self.model_dump(exclude={"run"}, exclude_none=True)
        return {name: dict(table) for name, table in tables.items() if table}


def reference() -> str:
    """Return every table and key as Markdown, with types, ranges and defaults."""
    moving = (Run, Method, Partition, Part, Thermostat, Geometry)
    tables = (*moving, Potential, Model, Data, Loss, Prior, Origin)
    return "\n".join(described(table, table.__name__.lower()) for table in tables) + "\n"


def described(table: type[BaseModel], name: str) -> str:
    """Return a table's keys as Markdown, under its name."""
    rows = [f"### `[{name}]`\n", (table.__doc__ or "") + "\n"]
    rows += ["| key | default | what it is |", "| --- | --- | --- |"]
    for name, field in table.model_fields.items():
        default = "" if field.is_required() else _spelled(field.default)
        limits = ", ".join(_limit(part) for part in field.metadata if _limit(part))
        choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        listed = ", ".join(f"`{_spelled(choice)}`" for choice in choices)
        words = [field.description or "", limits, listed]
        shown = f"`{default}`" if default else ""
        rows.append(f"| `{name}` | {shown} | {'; '.join(word for word in words if word)} |")
    return "\n".join(rows) + "\n"


def _limit(part: object) -> str:
    above, least = getattr(part, "gt", None), getattr(part, "ge", None)
    if above is not None:
        return f"above {above}"
    return f"{least} or above" if least is not None else ""


def _spelled(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_spelled(entry) for entry in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return "" if value is None else str(value)
