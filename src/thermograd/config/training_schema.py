"""What the configuration of a training run may say: `[train]`, `[model]`, `[data]`, `[loss]`."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from .. import schedules
from .._errors import ThermogradError
from ..objectives.tethered import check_scope
from ..schedules import Schedule
from .schema import Count, Data, Loss, Network, Origin, Table, Toml, Whole, described

__all__ = ["Train", "Training", "scope_of", "training_reference"]

SCHEDULES = ("Geometric", "PowerDecay")
Steps = Annotated[tuple[int, ...], Field(strict=False)]


def scope_of(value: float | Mapping[str, object]) -> float | Schedule:
    """Return a scope or a coupling, or the schedule that a table describes.

    Raises:
        ValueError: if it is none.
    """
    try:
        if not isinstance(value, Mapping):
            return check_scope(value, "value", "train")
        if value.get("kind") not in SCHEDULES:
            raise ValueError(f"be a table whose kind is one of {', '.join(SCHEDULES)}")
        options = {key: entry for key, entry in value.items() if key != "kind"}
        return getattr(schedules, str(value["kind"]))(**options)
    except ThermogradError as error:
        raise ValueError(str(error).partition(" must ")[2].partition("; got")[0]) from error
    except TypeError as error:
        raise ValueError(f"fit its schedule ({error})") from error


def _checked(value: float | dict[str, object]) -> float | dict[str, object]:
    scope_of(value)
    return value


Scope: TypeAlias = Annotated[float | dict[str, object], AfterValidator(_checked)]
Rate: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share: TypeAlias = Annotated[float, Field(ge=0, lt=1)]


class Train(Table):
    """How to train: the rule that couples replicas, its settings, and what is exchanged how."""

    rule: Annotated[
        Literal["parle", "elastic", "data_parallel"], Field(description="how replicas are coupled")
    ] = "parle"
    replicas: Annotated[Count, Field(description="n; under torchrun, its number of processes")] = 1
    steps: Annotated[Count | None, Field(description="gradients of each replica")] = None
    epochs: Annotated[
        Count | None, Field(description="instead of steps: passes over a replica's share")
    ] = None
    lr: Annotated[Rate, Field(description="η; of the outer step in Parle")] = 0.1
    lr_drop_steps: Annotated[Steps, Field(description="steps from which lr is dropped")] = ()
    lr_drop_factor: Annotated[float, Field(gt=0, description="what each drop multiplies it by")] = (
        0.1
    )
    momentum: Annotated[Share, Field(description="μ, Nesterov's, of the outer step")] = 0.9
    inner_lr: Annotated[Rate, Field(description="h of Parle's inner method")] = 0.1
    inner_steps: Annotated[
        Count, Field(description="L: gradients between two exchanges; 1 in data_parallel")
    ] = 25
    averaging: Annotated[Share, Field(description="α of Parle's inner loop")] = 0.25
    scope: Annotated[Scope, Field(description="γ of Parle, by rounds; may be inf")] = 100.0
    coupling: Annotated[Scope, Field(description="ρ, by rounds; may be inf")] = 1.0
    inner: Annotated[str, Field(description="the inner method: a name, or a word")] = "nesterov"
    inner_momentum: Annotated[Share, Field(description="of nesterov")] = 0.9
    temperature: Annotated[Rate, Field(description="T of the inner method")] = 0.0
    friction: Annotated[Rate, Field(description="of inner methods with a bath")] = 0.0
    on_lost: Annotated[
        Literal["stop", "exclude"], Field(description="what a replica with NaN does to the others")
    ] = "stop"
    share: Annotated[
        float, Field(gt=0, le=1, description="of the training data, for each replica")
    ] = 1.0
    statistics: Annotated[
        Literal["own", "recompute"], Field(description="BatchNorm's, when the master is tested")
    ] = "recompute"
    seed: Annotated[Whole, Field(description="every random stream derives from it")] = 0
    threads: Annotated[
        Count, Field(description="of each replica; the last bits of a sum depend on it")
    ] = 1
    save_every: Annotated[
        Whole, Field(description="exchanges between two checkpoints; 0 is none")
    ] = 1
    timeout: Annotated[
        float, Field(gt=0, allow_inf_nan=False, description="seconds to wait for another replica")
    ] = 300.0
    order: Annotated[
        Literal["rank", "any"], Field(description="of additions; any sends less, bits may differ")
    ] = "rank"
    compress: Annotated[
        Literal["none", "float16", "bfloat16"], Field(description="rounds what is exchanged")
    ] = "none"
    bucket: Annotated[
        Count | None, Field(description="numbers in a message at most; all if not given")
    ] = None


class Training(Table):
    """A whole configuration of a training run."""

    train: Train
    model: Network
    data: Data
    loss: Loss
    origin: Origin = Origin()

    def to_tables(self) -> dict[str, Toml]:
        """Return all tables, without what is not given."""
        tables = self.model_dump(exclude_none=True)
        return {name: dict(table) for name, table in tables.items() if table}


def training_reference() -> str:
    """Return the tables that only a training run has as Markdown."""
    return described(Train, "train") + "\n" + described(Network, "model")
