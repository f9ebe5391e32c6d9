"""Sum of potentials, kept apart for methods that give each term its own time step."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import final

import torch
from torch import Tensor

from .._checks import require
from ..state import Params
from .base import Batch, Potential


@final
@dataclass(frozen=True, eq=False)
class Sum:
    """Potential U = Σ_k U_k of named terms; its force is the sum of theirs.

    Costs one scratch copy of the force, and the batch is handed to every term.

    Attributes:
        components: the terms U_k, by name.
    """

    components: Mapping[str, Potential]

    def __post_init__(self) -> None:
        terms = dict(self.components)
        require(len(terms) > 0, "components", "Sum", "a mapping with at least one term", terms)
        for name, term in terms.items():
            ok = isinstance(term, Potential)  # pyright: ignore[reportUnnecessaryIsInstance]
            require(ok, f"components[{name!r}]", "Sum", "a potential (with `force`)", term)
        object.__setattr__(self, "components", MappingProxyType(terms))

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker, shape (W,)."""
        first, *others = self.components.values()
        energy = first.force(q, batch, out=out)
        scratch = [torch.empty_like(tensor) for tensor in out] if others else []
        for term in others:
            energy = energy + term.force(q, batch, out=scratch)
            for total, part in zip(out, scratch, strict=True):
                total.add_(part)
        return energy
