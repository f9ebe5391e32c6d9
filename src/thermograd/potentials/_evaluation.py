"""Evaluates a model for many walkers, in pieces that fit into memory.

Shapes: W walkers, B examples in a batch, N in the data.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import torch
from torch import Tensor
from torch.func import functional_call, grad_and_value, vmap

from ..state import Params
from ._loss import Loss
from ._template import Template

Energy: TypeAlias = Callable[[tuple[Tensor, ...], Tensor, Tensor], Tensor]

WORKING_MEMORY = 2**29  # bytes; fixed, so that the same run has the same pieces on every machine


class Evaluation:
    """Sums of losses and predictions of a model, per walker.

    Attributes:
        is_vectorized: whether all walkers go through the model at once (`torch.func.vmap`); else
            one after the other.
        bytes_per_example: what one example of one walker keeps for its backward pass.
        chunk: walkers at a time; None is as many as fit.
        data_chunk: examples at a time; None is as many as fit.
    """

    def __init__(
        self, template: Template, loss: Loss, chunk: int | None, data_chunk: int | None
    ) -> None:
        self.template = template
        self.loss = loss
        self.chunk = chunk
        self.data_chunk = data_chunk
        self.is_vectorized = True
        self.bytes_per_example = 0

    def outputs(self, params: Sequence[Tensor], x: Tensor) -> Tensor:
        """Return the predictions for `x` at one walker's parameters."""
        named = dict(zip(self.template.names, params, strict=True))
        return functional_call(self.template.module, named, (x,))

    def total(self, params: Sequence[Tensor], x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of losses over `x` at one walker's parameters, a scalar."""
        return self.loss.total(self.outputs(params, x), y)

    def subtract_gradient_(
        self, q: Params, x: Tensor, y: Tensor, weight: float, batch: Tensor | None, out: Params
    ) -> Tensor:
        """Set out ← out − weight ∇Σ loss, and return weight Σ loss per walker, shape (W,).

        Args:
            q: positions, each (W, ...).
            x: inputs of all the data.
            y: targets of all the data.
            weight: factor of the sum.
            batch: indices, shape (W, B); None is all the data, the same for every walker.
            out: what to subtract from, in the shapes of `q`.
        """

        def weighted(params: tuple[Tensor, ...], inputs: Tensor, targets: Tensor) -> Tensor:
            return weight * self.total(params, inputs, targets)

        num_examples = len(x) if batch is None else batch.shape[1]
        energies: list[Tensor] = []
        for walkers in self.walker_slices(q, num_examples):
            own = [tensor[walkers] for tensor in q]
            target = [tensor[walkers] for tensor in out]
            energy = own[0].new_zeros(own[0].shape[0])
            for examples in self.example_slices(num_examples):
                index = None if batch is None else batch[walkers, examples]
                inputs, targets = _rows(x, examples, index), _rows(y, examples, index)
                gradients, part = self.gradients(weighted, own, inputs, targets, batch is None)
                energy = energy + part
                for force, gradient in zip(target, gradients, strict=True):
                    force.sub_(gradient)
            energies.append(energy)
        return torch.cat(energies) if len(energies) > 1 else energies[0]

    def gradients(
        self, fn: Energy, q: Params, x: Tensor, y: Tensor, is_shared: bool
    ) -> tuple[list[Tensor], Tensor]:
        """Return gradients, each (W, ...), and values, shape (W,), of `fn` for every walker."""
        num_walkers = q[0].shape[0]
        # One walker alone is a third faster without vmap in eager mode, and slower compiled.
        if self.is_vectorized and (num_walkers > 1 or torch.compiler.is_compiling()):
            axis = None if is_shared else 0

            def summed(params: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
                values = vmap(fn, in_dims=(0, axis, axis))(params, x, y)
                return values.sum(), values

            # The gradient of the sum is every walker's own, and compiles to less work than the
            # batched gradient of each.
            gradients, (_, values) = grad_and_value(summed, has_aux=True)(tuple(q))
            return list(gradients), values
        pairs = [
            _gradients_of_one(
                fn, [t[w] for t in q], x if is_shared else x[w], y if is_shared else y[w]
            )
            for w in range(num_walkers)
        ]
        columns = zip(*(gradients for gradients, _ in pairs), strict=True)
        return [_stack(column) for column in columns], _stack([value for _, value in pairs])

    def predictions(self, q: Params, x: Tensor) -> Iterator[tuple[slice, slice, Tensor]]:
        """Yield the predictions for `x` piece by piece, with their walkers and examples."""
        for walkers in self.walker_slices(q, len(x)):
            own = [tensor[walkers] for tensor in q]
            for examples in self.example_slices(len(x)):
                yield walkers, examples, self._forward(own, x[examples])

    def walker_slices(self, q: Params, num_examples: int) -> list[slice]:
        """Return the pieces of the walkers that are evaluated at a time."""
        num_walkers = q[0].shape[0]
        chunk = self.chunk
        if chunk is None:
            size = sum(tensor[0].numel() for tensor in q) * q[0].element_size()
            examples = self._num_at_a_time(num_examples)
            chunk = WORKING_MEMORY // (2 * (self.bytes_per_example * examples + size) + 1)
        return _slices(num_walkers, chunk)

    def example_slices(self, num_examples: int) -> list[slice]:
        """Return the pieces of the examples that are evaluated at a time."""
        return _slices(num_examples, self._num_at_a_time(num_examples))

    def _num_at_a_time(self, num_examples: int) -> int:
        if self.data_chunk is not None:
            return min(self.data_chunk, num_examples)
        fitting = WORKING_MEMORY // (2 * self.bytes_per_example + 1)
        return max(1, min(fitting, num_examples))

    def _forward(self, q: Params, x: Tensor) -> Tensor:
        if self.is_vectorized:
            return vmap(self.outputs, in_dims=(0, None))(tuple(q), x)
        walkers = range(q[0].shape[0])
        return torch.stack([self.outputs([t[walker] for t in q], x) for walker in walkers])


def _gradients_of_one(
    fn: Energy, params: Sequence[Tensor], x: Tensor, y: Tensor
) -> tuple[Sequence[Tensor], Tensor]:
    """Return gradients and value of `fn` for one walker, with less around them than torch.func."""
    with torch.enable_grad():
        leaves = tuple(tensor.detach().requires_grad_() for tensor in params)
        value = fn(leaves, x, y)
    if not value.requires_grad:
        return [torch.zeros_like(leaf) for leaf in leaves], value
    return torch.autograd.grad(value, leaves, materialize_grads=True), value.detach()


def _stack(tensors: Sequence[Tensor]) -> Tensor:
    """Return the tensors along a new first axis; one alone is not copied."""
    return tensors[0].unsqueeze(0) if len(tensors) == 1 else torch.stack(tuple(tensors))


def _rows(data: Tensor, examples: slice, index: Tensor | None) -> Tensor:
    """Return data[index], (W, B, ...), or the piece `examples` of the data where there is no index.

    `index_select` copies whole rows: three times as fast as data[index] on images.
    """
    if index is None:
        return data[examples]
    return data.index_select(0, index.flatten()).unflatten(0, index.shape)


def _slices(total: int, size: int) -> list[slice]:
    size = min(max(size, 1), total)
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
