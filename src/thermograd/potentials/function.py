"""Potential from a function of the positions, with its gradient by autograd."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import require
from .._errors import EvaluationError
from ..state import Params
from .base import Batch

EnergyFunction = Callable[[Params], Tensor]


@final
@dataclass(frozen=True, slots=True)
class FunctionPotential:
    """Potential whose energies come from a function; one backward pass per force.

    Attributes:
        fn: maps walker-first tensors to energies, shape (W,). Walker i's energy may depend on
            walker i's positions only: the gradient is that of the sum over walkers.
    """

    fn: EnergyFunction

    def __post_init__(self) -> None:
        require(callable(self.fn), "fn", "from_function", "callable", self.fn)

    def energy(self, q: Params) -> Tensor:
        """Return U per walker, shape (W,)."""
        energy = self.fn(q)
        shape = (q[0].shape[0],)
        if not isinstance(energy, Tensor) or energy.shape != shape:  # pyright: ignore[reportUnnecessaryIsInstance]
            got = tuple(energy.shape) if isinstance(energy, Tensor) else type(energy).__name__  # pyright: ignore[reportUnnecessaryIsInstance]
            raise EvaluationError(
                f"the function must return one energy per walker, shape {shape}; got {got}. "
                "Sum over every axis but the first."
            )
        return energy

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker, shape (W,).

        Raises:
            EvaluationError: if the energies do not depend on the positions through autograd.
        """
        with torch.enable_grad():
            leaves = [tensor.detach().requires_grad_() for tensor in q]
            energy = self.energy(leaves)
            if not energy.requires_grad:
                raise EvaluationError(
                    "the energies carry no gradient with respect to the positions: the force "
                    "would be 0 everywhere. Compute them from the tensors given, without "
                    "`detach`, `item`, numpy or `torch.no_grad`."
                )
            gradients = torch.autograd.grad(energy.sum(), leaves, allow_unused=True)
        for tensor, gradient in zip(out, gradients, strict=True):
            if gradient is None:  # pyright: ignore[reportUnnecessaryComparison]
                tensor.zero_()
            else:
                torch.neg(gradient, out=tensor)
        return energy.detach()


def from_function(fn: EnergyFunction) -> FunctionPotential:
    """Make a potential of a function that returns one energy per walker.

    Args:
        fn: maps a list of tensors, each (W, ...), to energies, shape (W,).
    """
    return FunctionPotential(fn)
