"""Partition by pattern: shell-style patterns on the names of the parameters."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from .._errors import ParameterError
from .base import Named, Partition, from_labels, named_parameters

__all__ = ["by_pattern"]


def by_pattern(params: Named, patterns: Mapping[str, str], rest: str | None = None) -> Partition:
    """Label parameters by patterns such as "encoder.*" or "*.bias".

    Args:
        params: a model, or its named parameters.
        patterns: label by pattern, with `*`, `?` and `[...]` as in a shell.
        rest: label of what no pattern matches; without it such a parameter is an error.

    Returns:
        the partition.

    Raises:
        ParameterError: if a pattern matches nothing, patterns of different labels match one
            parameter, or a parameter is left over.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.partitions import by_pattern
        >>> with torch.random.fork_rng():
        ...     model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        >>> by_pattern(model, {"2.*": "output"}, rest="hidden").parts
        {'hidden': ('0.weight', '0.bias'), 'output': ('2.weight', '2.bias')}
    """
    named = named_parameters(params)
    labels: dict[str, str] = {}
    used: set[str] = set()
    for name in named:
        matching = [pattern for pattern in patterns if fnmatchcase(name, pattern)]
        used.update(matching)
        found = {patterns[pattern]: pattern for pattern in matching}
        if len(found) > 1:
            raise ParameterError(
                f"{name!r} matches {' and '.join(repr(p) for p in found.values())}, which have "
                f"the labels {' and '.join(repr(label) for label in found)}. Narrow one of them"
            )
        if not found and rest is None:
            raise ParameterError(
                f"{name!r} matches no pattern; add one, or say what the label of the rest is"
            )
        labels[name] = next(iter(found), rest or "")
    if unused := [pattern for pattern in patterns if pattern not in used]:
        shown = ", ".join(repr(pattern) for pattern in unused)
        raise ParameterError(f"no parameter matches {shown}; the names are {', '.join(named)}")
    return from_labels(labels, (), "by_pattern")
