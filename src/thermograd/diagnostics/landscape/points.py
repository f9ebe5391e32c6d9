"""Points of a loss landscape, from models or vectors, and groups of what they are made of."""

from collections.abc import Sequence
from typing import TypeAlias

from torch import Tensor, nn

from ..._checks import require
from ..objective import Objective
from ._evaluate import Named

__all__ = ["Point", "by_kind", "by_layer", "named_point"]

Point: TypeAlias = nn.Module | Tensor

KINDS = ("weights", "biases", "normalisation", "statistics")


def named_point(objective: Objective, point: Point, owner: str) -> Named:
    """Return a model's parameters and real buffers, or a vector θ, by name.

    Args:
        objective: whose form it must have.
        point: a model, whose batch statistics count, or a vector, which has none.
        owner: for messages.
    """
    if isinstance(point, Tensor):
        return objective.named(objective.check(point, "point", owner))
    found = objective.named(objective.check(objective.flat(point), "point", owner))
    for name, value in point.named_buffers():
        if value.is_floating_point():
            found[name] = value.detach().clone()
    return found


def same_names(start: Named, end: Named, owner: str) -> tuple[Named, Named]:
    """Return two points with the names both have: buffers vary only between two models."""
    names = [name for name in start if name in end]
    for name in names:
        ok = start[name].shape == end[name].shape
        require(ok, "end", owner, f"like start in the shape of {name!r}", tuple(end[name].shape))
    return {name: start[name] for name in names}, {name: end[name] for name in names}


def by_layer(names: Sequence[str]) -> dict[str, list[str]]:
    """Return names of parameters and buffers grouped by the module they belong to."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.rpartition(".")[0] or name, []).append(name)
    return groups


def by_kind(model: nn.Module) -> dict[str, list[str]]:
    """Return names grouped as weights, biases, normalisation's parameters, and its statistics."""
    groups: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name, module in model.named_modules():
        prefix = f"{name}." if name else ""
        is_norm = isinstance(
            module,
            (nn.modules.batchnorm._NormBase, nn.GroupNorm, nn.LayerNorm),  # pyright: ignore[reportPrivateUsage]
        )
        for own, _ in module.named_parameters(recurse=False):
            kind = "normalisation" if is_norm else "biases" if "bias" in own else "weights"
            groups[kind].append(prefix + own)
        for own, value in module.named_buffers(recurse=False):
            if value.is_floating_point():
                groups["statistics"].append(prefix + own)
    return {kind: names for kind, names in groups.items() if names}


def minus(end: Named, start: Named) -> Named:
    """Return end − start, name by name."""
    return {name: end[name] - value for name, value in start.items()}
