"""Which positions of a run live on which manifold."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TypeAlias

import torch

from .._checks import require, unknown_name
from .._errors import ParameterError
from .._foreach import clone
from ..geometry import Constraints, Flat, Manifold, Product, settle_start
from ..state import Params

__all__ = ["Rule", "Rules", "choose", "manifold_of", "settled"]

Rules: TypeAlias = Manifold | Mapping[str, Manifold] | Constraints
Rule: TypeAlias = tuple[Manifold, tuple[str, ...]]


def choose(rules: Rules | None, names: Sequence[str]) -> tuple[Rule, ...]:
    """Return manifolds, each with the names of the positions that live on it.

    Args:
        rules: a manifold for all positions; manifolds by name or pattern, all else flat, where a
            pattern means a bias only if it ends in "bias"; or what `constrain` returned.
        names: of all positions.

    Raises:
        ParameterError: if two entries select the same.
    """
    if rules is None:
        return ()
    if isinstance(rules, Constraints):
        for _, chosen in rules.rules:
            for name in chosen:
                if name not in names:
                    raise unknown_name("parameter", name, names)
        return rules.rules
    if isinstance(rules, Manifold):
        return ((rules, tuple(names)),)
    ok = isinstance(rules, Mapping)  # pyright: ignore[reportUnnecessaryIsInstance]
    require(ok, "geometry", "sample", "a manifold, a mapping to manifolds, or Constraints", rules)
    found: list[Rule] = []
    taken: dict[str, Manifold] = {}
    for pattern, manifold in rules.items():
        is_manifold = isinstance(manifold, Manifold)  # pyright: ignore[reportUnnecessaryIsInstance]
        require(is_manifold, pattern, "geometry", "a manifold of thermograd.geometry", manifold)
        chosen = tuple(name for name in names if _means(pattern, name))
        if not chosen:
            raise unknown_name("parameter", pattern, names)
        for name in chosen:
            if name in taken:
                raise ParameterError(
                    f"{name} lives on {taken[name]} already; it cannot on {manifold}"
                )
            taken[name] = manifold
        found.append((manifold, chosen))
    return tuple(found)


def manifold_of(rules: Sequence[Rule], names: Sequence[str]) -> Manifold:
    """Return the manifold of all positions together.

    Raises:
        ParameterError: if one constraint couples positions that are not neighbours.
    """
    owner = {name: (number, rule) for number, (rule, chosen) in enumerate(rules) for name in chosen}
    factors: list[tuple[Manifold, int]] = []
    last: int | None = None
    closed: set[int] = set()
    for name in names:
        number, rule = owner.get(name, (-1, Flat()))
        if number == last:
            factors[-1] = (rule, factors[-1][1] + 1)
            continue
        if number in closed and rule.is_joint:
            chosen = ", ".join(rules[number][1])
            raise ParameterError(
                f"{rule} couples {chosen}, which do not stand next to each other in "
                f"{', '.join(names)}; put them in one tensor or in a row"
            )
        factors.append((rule, 1))
        closed.add(number)
        last = number
    if all(isinstance(rule, Flat) for rule, _ in factors):
        return Flat()
    return Product(tuple(factors))


def settled(manifold: Manifold, q: Params, names: Sequence[str], *, strict: bool) -> Params:
    """Return a start on the manifold; one that was off it is projected with a notice.

    Args:
        manifold: of all positions.
        q: the start, each (W, ...).
        names: of the positions.
        strict: whether to refuse a start that is off the manifold.
    """
    if not isinstance(manifold, Product):
        return q
    moved, first = clone(q), 0
    with torch.no_grad():
        for factor, count in manifold.factors:
            row = slice(first, first + count)
            if not isinstance(factor, Flat):
                settle_start(factor, moved[row], names[row], "the start", strict=strict)
            first += count
    return moved


def _means(pattern: str, name: str) -> bool:
    is_bias = name.endswith("bias")
    return fnmatchcase(name, pattern) and (not is_bias or pattern.endswith("bias"))
