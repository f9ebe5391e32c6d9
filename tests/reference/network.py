"""The potential of a network written out: one walker, one example, one coordinate at a time."""

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

LossOfOne = Callable[[Tensor, Tensor], Tensor]
EnergyOfOne = Callable[[Tensor], Tensor]


def cross_entropy(prediction: Tensor, target: Tensor) -> Tensor:
    """Return −ln softmax(prediction)[target] of one example."""
    return torch.log(torch.exp(prediction).sum()) - prediction[int(target)]


def binary(prediction: Tensor, target: Tensor) -> Tensor:
    """Return −y ln p − (1 − y) ln(1 − p) of one example, p = 1/(1 + e^−f)."""
    p = 1 / (1 + torch.exp(-prediction))
    return -(target * torch.log(p) + (1 - target) * torch.log(1 - p)).sum()


def mse(prediction: Tensor, target: Tensor) -> Tensor:
    """Return the mean of (y − f)² over the outputs of one example."""
    return ((target - prediction) ** 2).sum() / prediction.numel()


def gaussian(sd: float) -> LossOfOne:
    """Return −ln N(y; f, sd²), summed over the outputs of one example."""

    def loss(prediction: Tensor, target: Tensor) -> Tensor:
        density = torch.exp(-((target - prediction) ** 2) / (2 * sd**2))
        return -torch.log(density / math.sqrt(2 * math.pi * sd**2)).sum()

    return loss


def gaussian_with_sd(prediction: Tensor, target: Tensor) -> Tensor:
    """Return −ln N(y; f, s²) with f and ln s the two halves of the prediction."""
    half = prediction.shape[-1] // 2
    total = prediction.new_zeros(())
    for k in range(half):
        total = total + gaussian(float(torch.exp(prediction[half + k])))(prediction[k], target[k])
    return total


@dataclass(frozen=True)
class Twin:
    """What a Network should compute.

    Attributes:
        model: the network; evaluated in eval mode.
        names: of the parameters that move.
        loss: of one example.
        prior: the energy of one coordinate, by name of the parameter.
        factor: 1, or 1/N.
    """

    model: nn.Module
    names: Sequence[str]
    loss: LossOfOne
    prior: Mapping[str, EnergyOfOne]
    factor: float = 1.0

    def evaluate(
        self, q: Sequence[Tensor], x: Tensor, y: Tensor, batch: Tensor | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        """Return U, shape (W,), and −∇U, each (W, ...)."""
        energies: list[Tensor] = []
        forces: list[list[Tensor]] = []
        for w in range(len(q[0])):
            rows = range(len(x)) if batch is None else batch[w].tolist()
            model = copy.deepcopy(self.model).eval().requires_grad_(True)
            parameters = [model.get_parameter(name) for name in self.names]
            with torch.no_grad():
                for parameter, tensor in zip(parameters, q, strict=True):
                    parameter.copy_(tensor[w])
            total = sum(self.loss(model(x[n : n + 1])[0], y[n]) for n in rows)
            energy = len(x) / len(rows) * total
            for name, parameter in zip(self.names, parameters, strict=True):
                if name in self.prior:
                    energy = energy + sum(self.prior[name](value) for value in parameter.flatten())
            energy = self.factor * energy
            assert isinstance(energy, Tensor)
            gradients = torch.autograd.grad(energy, parameters)
            energies.append(energy.detach())
            forces.append([-gradient for gradient in gradients])
        return torch.stack(energies), [torch.stack(f) for f in zip(*forces, strict=True)]
