"""One model of several: the mean of their parameters, and what to do about BatchNorm.

    x ← (1/n) Σ xᵃ

The mean of networks that were trained apart is worth little: permuting hidden units changes no
network, but does change the mean. `align` undoes that first; replicas coupled by Parle or
Elastic-SGD need no alignment.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import (
    _BatchNorm,  # pyright: ignore[reportPrivateUsage]  the common base of BatchNorm1d, 2d, 3d
)

from .._checks import one_of, require
from .._errors import ParameterError

__all__ = ["Statistics", "average", "ensemble_probabilities", "recompute_statistics"]

Statistics: TypeAlias = Literal["average", "own", "recompute"]
Model = TypeVar("Model", bound=nn.Module)


def average(
    models: Sequence[Model],
    *,
    statistics: Statistics = "average",
    data: Iterable[Tensor] | None = None,
) -> Model:
    """Return a copy of the first model with the mean of all models' parameters.

    Args:
        models: of one architecture and dtype; they are not changed.
        statistics: of BatchNorm: the "average" over models, the first model's "own", or
            "recompute" them for the mean, by passing `data` through it.
        data: batches of inputs, for "recompute".

    Raises:
        ParameterError: if the models are not alike.
    """
    require(len(models) > 0, "models", "average", "one or more", models)
    one_of(statistics, ("average", "own", "recompute"), "statistics", "average")
    merged = copy.deepcopy(models[0])
    columns = [_alike([dict(model.named_parameters()) for model in models])]
    if statistics == "average":
        columns.append(_alike([dict(model.named_buffers()) for model in models]))
    with torch.no_grad():
        targets = dict(merged.named_parameters()) | dict(merged.named_buffers())
        for column in columns:
            for name, tensors in column.items():
                if tensors[0].is_floating_point():
                    targets[name].copy_(torch.stack(tensors).mean(0))
    if statistics == "recompute":
        if data is None:
            raise ParameterError("statistics='recompute' needs data: batches of inputs")
        recompute_statistics(merged, data)
    return merged


def recompute_statistics(model: nn.Module, data: Iterable[Tensor]) -> None:
    """Set BatchNorm's running statistics to the plain average over some batches, in order.

    Args:
        model: changed in its running statistics alone.
        data: batches of inputs.
    """
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    modes = {module: module.training for module in model.modules()}
    momenta = [norm.momentum for norm in norms]
    model.eval()  # dropout stays off
    for norm in norms:
        norm.reset_running_stats()
        norm.train()
        norm.momentum = None
    with torch.no_grad():
        for batch in data:
            model(batch)
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    for module, mode in modes.items():
        module.training = mode


def ensemble_probabilities(models: Sequence[Callable[[Tensor], Tensor]], inputs: Tensor) -> Tensor:
    """Return the mean of the models' softmax outputs, shape (B, classes)."""
    require(len(models) > 0, "models", "ensemble_probabilities", "one or more", models)
    total = torch.softmax(models[0](inputs), dim=-1)
    for model in models[1:]:
        total = total + torch.softmax(model(inputs), dim=-1)
    return total / len(models)


def _alike(rows: Sequence[dict[str, Tensor]]) -> dict[str, list[Tensor]]:
    """Return each entry of all models, checked to be alike."""
    first = rows[0]
    for number, row in enumerate(rows[1:], start=1):
        if row.keys() != first.keys():
            other = min(row.keys() ^ first.keys())
            raise ParameterError(
                f"models 0 and {number} are not of one architecture: see {other!r}"
            )
        for name, tensor in row.items():
            ours = first[name]
            if (tensor.shape, tensor.dtype) != (ours.shape, ours.dtype):
                raise ParameterError(
                    f"{name!r} is {tuple(ours.shape)} of {ours.dtype} in model 0 and "
                    f"{tuple(tensor.shape)} of {tensor.dtype} in model {number}"
                )
    return {name: [row[name].detach() for row in rows] for name in first}
