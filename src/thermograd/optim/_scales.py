"""Parts and their time scales, from what users hand over."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from torch import Tensor, nn

from .._checks import positive_int
from .._errors import ParameterError
from ..multirate import Cycle
from ..partitions import Partition, last
from ._adapter import Group, ParamsT

PartT: TypeAlias = nn.Module | Tensor | ParamsT | dict[str, Any]
PartsT: TypeAlias = nn.Module | Mapping[str, PartT]
LabelsT: TypeAlias = str | Sequence[str] | None


def parts_of(params: PartsT, partition: Partition | None, owner: str) -> list[Group]:
    """Return a labelled group for each part; a model's are its last layer and the rest.

    Raises:
        ParameterError: for parameters without labels, parts that overlap or are empty, or a
            partition of something that is no model.
    """
    if isinstance(params, nn.Module):
        parts = (partition if partition is not None else last(params)).split(params)
        return [{"params": list(named.items()), "label": label} for label, named in parts.items()]
    if not isinstance(params, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(
            f"{owner} needs a model, or a mapping from labels to parameters such as "
            "{'slow': model.body, 'fast': model.head}: parameters alone do not say which are slow"
        )
    if partition is not None:
        raise ParameterError(f"{owner} takes a partition of a model; a mapping is one already")
    groups = [_group(label, part) for label, part in params.items()]
    rows = [row for group in groups for row in group["params"]]
    if not all(isinstance(row, tuple) for row in rows):  # torch wants names of all or of none
        for group in groups:
            group["params"] = tensors_of(group["params"])
    owners: dict[int, str] = {}
    for group in groups:
        label, tensors = group["label"], tensors_of(group["params"])
        if not tensors:
            raise ParameterError(f"the part {label!r} of {owner} has no parameters")
        for tensor in tensors:
            if owners.setdefault(id(tensor), label) != label:
                raise ParameterError(
                    f"a parameter of shape {tuple(tensor.shape)} lies in the parts "
                    f"{owners[id(tensor)]!r} and {label!r} of {owner}; it would move twice. If "
                    "weights are tied, put both their layers in one part"
                )
    return groups


def tensors_of(rows: Iterable[Any]) -> list[Tensor]:
    """Return the tensors of parameters with or without names."""
    return [row[1] if isinstance(row, tuple) else row for row in rows]


def cycle_of(
    labels: Sequence[str],
    k: int | Mapping[str, int],
    slow: LabelsT,
    fast: LabelsT,
    linear_drift: bool,
    owner: str,
) -> Cycle:
    """Return the cycle of these parts.

    Raises:
        ParameterError: if it is not said which parts are slow, or one side is empty.
    """
    known = ", ".join(repr(label) for label in labels)
    if isinstance(k, Mapping):
        if slow is not None or fast is not None:
            raise ParameterError(f"{owner} takes slow and fast with one k; here each part has its")
        if set(k) != set(labels):
            raise ParameterError(f"the k of {owner} must name each part once: {known}; got {k!r}")
        return Cycle.from_every(k, linear_drift)
    positive_int(k, "k", owner)
    if (slow is None) == (fast is None):
        found = [label for label in ("slow", "rest") if label in labels]
        if slow is not None or len(labels) != 2 or len(found) != 1:
            raise ParameterError(
                f"{owner} must be told which of its parts {known} are slow, or which are fast: "
                "one of both, as a label or several"
            )
        slow = found
    chosen = _listed(slow if slow is not None else fast)
    for label in chosen:
        if label not in labels:
            raise ParameterError(f"no part of {owner} is called {label!r}; the parts are {known}")
    others = [label for label in labels if label not in chosen]
    scales = (chosen, others) if slow is not None else (others, chosen)
    for name, scale in zip(("slow", "fast"), scales, strict=True):
        if not scale:
            raise ParameterError(
                f"the {name} part of {owner} has no parameters; all of {known} "
                f"are {'fast' if name == 'slow' else 'slow'}"
            )
    return Cycle(scales, (k,), linear_drift)


def _group(label: str, part: PartT) -> Group:
    group: Group = dict(cast(Group, part)) if isinstance(part, dict) else {"params": part}
    rows = group["params"]
    if isinstance(rows, nn.Module):
        rows = list(rows.named_parameters())
    return {**group, "params": [rows] if isinstance(rows, Tensor) else list(rows), "label": label}


def _listed(labels: LabelsT) -> list[str]:
    return [labels] if isinstance(labels, str) else list(labels or ())
