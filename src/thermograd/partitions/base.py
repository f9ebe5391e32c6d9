"""What a partition is: a label for every parameter of a model, by name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from torch import Tensor, nn

from .._checks import require
from .._errors import ParameterError

__all__ = ["Named", "Partition", "from_labels", "layer_of", "layers_of", "named_parameters"]

Named: TypeAlias = nn.Module | Iterable[tuple[str, Tensor]]

_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Partition:
    """A label for each parameter; the parameters with one label are one part.

    Attributes:
        labels: label by parameter name, in the model's order.

    Examples:
        >>> from thermograd.partitions import Partition
        >>> partition = Partition({"0.weight": "slow", "0.bias": "fast", "2.weight": "slow"})
        >>> partition.parts
        {'slow': ('0.weight', '2.weight'), 'fast': ('0.bias',)}
    """

    labels: Mapping[str, str]

    def __post_init__(self) -> None:
        require(bool(self.labels), "labels", "Partition", "at least one name and label", {})
        for name, label in self.labels.items():
            ok = isinstance(label, str) and label != ""  # pyright: ignore[reportUnnecessaryIsInstance]
            require(ok, f"label of {name}", "Partition", "a string that is not empty", label)
        object.__setattr__(self, "labels", MappingProxyType(dict(self.labels)))

    @property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """Names of the parameters of each part, in the order in which the labels first occur."""
        found: dict[str, list[str]] = {}
        for name, label in self.labels.items():
            found.setdefault(label, []).append(name)
        return {label: tuple(names) for label, names in found.items()}

    def split(self, params: Named) -> dict[str, dict[str, Tensor]]:
        """Sort parameters into the parts.

        Args:
            params: the model, or its named parameters.

        Returns:
            for each label its parameters by name; a tensor that has several names occurs once.

        Raises:
            ParameterError: if a parameter has no label, a label no parameter, or one tensor lies
                in two parts.
        """
        named = named_parameters(params)
        _check_cover(self.labels, named)
        result: dict[str, dict[str, Tensor]] = {label: {} for label in self.parts}
        seen: dict[int, str] = {}
        for name, tensor in named.items():
            first = seen.setdefault(id(tensor), name)
            if self.labels[first] != self.labels[name]:
                raise ParameterError(
                    f"{first} and {name} are one tied tensor, but lie in the parts "
                    f"{self.labels[first]!r} and {self.labels[name]!r}: it would move twice. "
                    "Give both names the same label"
                )
            if first == name:
                result[self.labels[name]][name] = tensor
        return result


def named_parameters(params: Named) -> dict[str, Tensor]:
    """Return parameters by name, tied ones under each of their names."""
    if isinstance(params, nn.Module):
        return dict(params.named_parameters(remove_duplicate=False))
    named: dict[str, Tensor] = {}
    for entry in params:
        ok = isinstance(entry, tuple) and len(entry) == 2  # pyright: ignore[reportUnnecessaryIsInstance]
        require(ok, "params", "a partition", "a model or pairs of name and parameter", type(entry))
        name, tensor = entry
        require(name not in named, "params", "a partition", "of different names", name)
        named[name] = tensor
    return named


def from_labels(labels: Mapping[str, str], wanted: Iterable[str], owner: str) -> Partition:
    """Make a partition that must use all of `wanted`; an empty part is an error.

    Raises:
        ParameterError: if there is nothing to label, or a part is empty.
    """
    if not labels:
        raise ParameterError(f"{owner} found no parameters to label")
    for label in wanted:
        if label not in labels.values():
            raise ParameterError(
                f"{owner} leaves the part {label!r} empty: all {len(labels)} parameters are "
                f"{_listed(sorted(set(labels.values())))}"
            )
    return Partition(labels)


def layer_of(name: str) -> str:
    """Return the module that owns a parameter; "" is the model itself."""
    return name.rpartition(".")[0]


def layers_of(named: Mapping[str, Tensor]) -> list[str]:
    """Return the modules that own parameters, in the model's order."""
    return list(dict.fromkeys(layer_of(name) for name in named))


def _check_cover(labels: Mapping[str, str], named: Mapping[str, Tensor]) -> None:
    missing = [name for name in named if name not in labels]
    if missing:
        raise ParameterError(
            f"the partition has no label for {_listed(missing)}: they would never move. "
            "Give every parameter a label"
        )
    unused = [name for name in labels if name not in named]
    if unused:
        raise ParameterError(
            f"the partition labels {_listed(unused)}, which the model does not have"
        )


def _listed(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(repr(name) for name in names[:_SHOWN]) + (f" and {more} more" * (more > 0))
