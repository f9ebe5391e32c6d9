"""Permutation of a network's hidden units that brings it closest to another, and their overlap.

    overlap = ⟨θ_a, θ_b⟩/(‖θ_a‖ ‖θ_b‖)

Units of a hidden layer can be renumbered without changing the function. Layer after layer, the
numbering that makes the products of weights into and out of the layer largest is an assignment
problem; sweeps repeat until nothing changes. The first sweep goes from the inputs up and looks at
the weights into a layer only, which is the source's greedy matching. Each later step raises
⟨θ_a, θ_b⟩, so the sweeps end; the end may be a local optimum.

References:
    Chaudhari (2018), doctoral thesis, UCLA, section 5.1 (greedy matching and overlap).
    Ainsworth, Hayase and Srinivasa (2023), arXiv:2209.04836, algorithm 1.
"""

import copy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from torch import Tensor, nn

from ..._checks import require
from ..._errors import ParameterError
from ..estimate import Estimate

__all__ = ["Alignment", "align", "overlap"]

MAX_SWEEPS = 100
Order = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """A network renumbered to match another.

    Attributes:
        model: a copy of the second network, renumbered; it computes the same function.
        orders: for each hidden layer, which of the old units stands at each place.
        before: overlap as they were.
        after: overlap now.
        num_sweeps: over the layers.
    """

    model: nn.Sequential
    orders: tuple[Order, ...]
    before: Estimate[float]
    after: Estimate[float]
    num_sweeps: int


def overlap(first: nn.Module, second: nn.Module) -> Estimate[float]:
    """Return the cosine between the parameters of two networks of the same form."""
    a, b = (
        torch.cat([p.detach().double().reshape(-1) for p in model.parameters()])
        for model in (first, second)
    )
    require(a.shape == b.shape, "second", "overlap", f"of {len(a)} parameters", len(b))
    return Estimate(float(a @ b / (a.norm() * b.norm())), 0.0, len(a), "1")


def align(reference: nn.Sequential, model: nn.Sequential) -> Alignment:
    """Return `model` with its hidden units renumbered to match `reference`.

    Args:
        reference: a Sequential of linear or convolution layers, batch normalisation, and layers
            without parameters that act on each unit alone.
        model: another of the same form; it is copied.
    """
    layers_a, layers_b = _layers(reference), _layers(model)
    before = overlap(reference, model)
    orders = [np.arange(len(layer.weight)) for layer in layers_b[:-1]]
    num_sweeps = 0
    for sweep in range(MAX_SWEEPS):
        num_sweeps, changed = sweep + 1, False
        for number in range(len(orders)):
            score = _score(layers_a, layers_b, orders, number, is_greedy=sweep == 0)
            found = np.asarray(linear_sum_assignment(score, maximize=True)[1])
            changed |= not np.array_equal(found, orders[number])
            orders[number] = found
        if not changed and sweep:
            break
    renumbered = _renumbered(model, orders)
    after = overlap(reference, renumbered)
    return Alignment(renumbered, tuple(orders), before, after, num_sweeps)


@dataclass(frozen=True, slots=True)
class _Layer:
    weight: Tensor  # (out, in, space)
    bias: list[Tensor]  # all that goes with an output unit


def _layers(model: nn.Sequential) -> list[_Layer]:
    """Return the layers with weights, each with what belongs to its units."""
    found: list[_Layer] = []
    for name, module in model.named_children():
        if isinstance(module, (nn.Linear, nn.Conv1d, nn.Conv2d)):
            weight = module.weight.detach().double()
            own = [] if module.bias is None else [module.bias.detach().double()]
            found.append(_Layer(weight.reshape(*weight.shape[:2], -1), own))
        elif isinstance(module, nn.modules.batchnorm._BatchNorm) and found:  # pyright: ignore[reportPrivateUsage]
            found[-1].bias.extend(p.detach().double() for p in module.parameters())
        elif any(True for _ in module.parameters()) or isinstance(module, nn.Sequential):
            raise ParameterError(
                f"align knows linear, convolution and batch normalisation layers in a flat "
                f"Sequential; {name!r} is a {type(module).__name__}"
            )
    require(len(found) > 1, "model", "align", "a Sequential with a hidden layer", len(found))
    return found


def _score(
    first: list[_Layer], second: list[_Layer], orders: list[Order], number: int, *, is_greedy: bool
) -> NDArray[np.float64]:
    """Return, for units i of the first and j of the second, the products of all that is theirs."""
    a, b = first[number], second[number]
    into = b.weight if number == 0 else _inputs(b.weight, orders[number - 1])
    score = a.weight.flatten(1) @ into.flatten(1).T
    for own, other in zip(a.bias, b.bias, strict=True):
        score = score + torch.outer(own, other)
    if not is_greedy:
        out_a, out_b = first[number + 1].weight, second[number + 1].weight
        if number + 1 < len(orders):
            out_b = out_b[torch.from_numpy(orders[number + 1])]
        units = len(a.weight)
        score = score + _by_unit(out_a, units) @ _by_unit(out_b, units).T
    return score.numpy()


def _by_unit(weight: Tensor, units: int) -> Tensor:
    """Return a weight's columns grouped by the units that feed them, (units, rest)."""
    grouped = weight.reshape(len(weight), units, -1)  # a flattened map gives a unit many columns
    return grouped.movedim(1, 0).flatten(1)


def _inputs(weight: Tensor, order: Order) -> Tensor:
    """Return a weight whose inputs are renumbered."""
    grouped = weight.reshape(len(weight), len(order), -1)
    return grouped[:, torch.from_numpy(order)].reshape(weight.shape)


def _renumbered(model: nn.Sequential, orders: list[Order]) -> nn.Sequential:
    found = copy.deepcopy(model)
    into: Order | None = None
    waiting = iter([*orders, None])
    order: Order | None = None
    with torch.no_grad():
        for module in found.children():
            if isinstance(module, (nn.Linear, nn.Conv1d, nn.Conv2d)):
                order = next(waiting)
                if into is not None:
                    module.weight.copy_(_inputs(module.weight, into))
                if order is not None:
                    module.weight.copy_(module.weight[torch.from_numpy(order)])
                    if module.bias is not None:
                        module.bias.copy_(module.bias[torch.from_numpy(order)])
                into = order
            elif isinstance(module, nn.modules.batchnorm._BatchNorm) and order is not None:  # pyright: ignore[reportPrivateUsage]
                for tensor in [*module.parameters(), *module.buffers()]:
                    if tensor.dim():
                        tensor.copy_(tensor[torch.from_numpy(order)])
    return found
