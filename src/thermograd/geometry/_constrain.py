"""Which parameters of a model live on which manifold."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, TypeAlias

from torch import Tensor, nn

from .._checks import require
from .._errors import ParameterError
from ._base import Manifold
from .flat import Flat

__all__ = ["Constraints", "Where", "constrain"]

Where: TypeAlias = str | type[nn.Module]


@dataclass(frozen=True, slots=True)
class Constraints:
    """The parameters of a model, and the manifolds of those that are constrained.

    Attributes:
        model: the model.
        rules: manifolds, each with the names of the parameters that live on it.
        strict: whether an optimizer refuses a start off the manifold, rather than project it.
    """

    model: nn.Module
    rules: tuple[tuple[Manifold, tuple[str, ...]], ...]
    strict: bool = False

    @property
    def manifolds(self) -> Mapping[str, Manifold]:
        """The manifold of each constrained parameter, by name."""
        return MappingProxyType({name: rule for rule, names in self.rules for name in names})

    def groups(self) -> Iterator[dict[str, Any]]:
        """Yield parameter groups for an optimizer, what is free last."""
        named = dict(self.model.named_parameters())
        for rule, names in self.rules:
            rows = [(name, named.pop(name)) for name in names]
            yield {"params": rows, "geometry": rule, "strict": self.strict}
        if named:
            yield {"params": list(named.items()), "geometry": Flat(), "strict": False}


def constrain(
    model: nn.Module | Constraints, geometry: Manifold, *where: Where, strict: bool = False
) -> Constraints:
    """Say which parameters of a model live on a manifold; biases are free unless named.

    Args:
        model: a model, or what an earlier call returned, to add to it.
        geometry: the manifold.
        where: names or shell-style patterns of parameters, or types of layers, whose weights are
            meant; all weights if none is given. A pattern means a bias only if it ends in "bias".
        strict: whether an optimizer refuses a start off the manifold; it is projected otherwise,
            with a notice.

    Returns:
        the selection, for the optimizers.

    Raises:
        ParameterError: if an entry selects nothing, or a parameter is frozen, tied or constrained
            already.

    Examples:
        >>> import torch
        >>> from thermograd.geometry import Circle, constrain
        >>> from thermograd.optim import Langevin
        >>> with torch.random.fork_rng():
        ...     model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
        >>> chosen = constrain(model, Circle(2.0), "0.weight")
        >>> opt = Langevin(chosen.groups(), 0.1, friction=1.0, temperature=0.0)
        >>> [(group["geometry"], group["param_names"]) for group in opt.param_groups]
        [('Circle(radius=2.0)', ['0.weight']), ('Flat()', ['0.bias', '1.weight', '1.bias'])]
    """
    before = model if isinstance(model, Constraints) else Constraints(model, ())
    is_manifold = isinstance(geometry, Manifold)  # pyright: ignore[reportUnnecessaryIsInstance]
    require(is_manifold, "geometry", "constrain", "a manifold of thermograd.geometry", geometry)
    names = selected(before.model, where or ("*",))
    taken = before.manifolds
    tied = _tied(before.model)
    named = dict(before.model.named_parameters(remove_duplicate=False))
    for name in names:
        if name in taken:
            raise ParameterError(f"{name} lives on {taken[name]} already; it cannot on {geometry}")
        if name in tied:
            raise ParameterError(
                f"{name} is tied to {tied[name]}: a constraint on one would bind both. Untie them"
            )
        if not named[name].requires_grad:
            raise ParameterError(f"{name} is frozen: it would never move along {geometry}")
    rules = (*before.rules, (geometry, tuple(names)))
    return Constraints(before.model, rules, strict or before.strict)


def selected(model: nn.Module, where: Iterable[Where]) -> list[str]:
    """Return the names of the parameters that patterns and types of layers mean, as in a model.

    Raises:
        ParameterError: if an entry means none.
    """
    named = dict(model.named_parameters(remove_duplicate=False))
    chosen: dict[str, None] = {}
    for entry in where:
        if isinstance(entry, str):
            found = [name for name in named if _means(entry, name)]
        else:
            found = [
                name
                for layer, module in model.named_modules()
                if isinstance(module, entry)
                for name in named
                if name.rpartition(".")[0] == layer and not name.endswith("bias")
            ]
        if not found:
            shown = entry if isinstance(entry, str) else entry.__name__
            raise ParameterError(f"{shown!r} selects no parameter; there are {', '.join(named)}")
        chosen.update(dict.fromkeys(found))
    return [name for name in named if name in chosen]


def _means(pattern: str, name: str) -> bool:
    is_bias = name.endswith("bias")
    return fnmatchcase(name, pattern) and (not is_bias or pattern.endswith("bias"))


def _tied(model: nn.Module) -> dict[str, str]:
    """Return another name of each parameter that has several."""
    names: dict[int, list[str]] = {}
    tensors: dict[str, Tensor] = dict(model.named_parameters(remove_duplicate=False))
    for name, tensor in tensors.items():
        names.setdefault(id(tensor), []).append(name)
    several = [same for same in names.values() if len(same) > 1]
    return {name: next(o for o in same if o != name) for same in several for name in same}
