"""The two clusters, the perceptron on them, and the Gaussian that its loss is."""

from dataclasses import dataclass

import torch
from torch import Tensor

from thermograd.data import toy
from thermograd.integrators import get
from thermograd.models import mlp
from thermograd.noise import seeded
from thermograd.potentials import Network
from thermograd.testing.contracts.gaussian import stationary_covariance
from thermograd.testing.contracts.probe import Setting, read_step
from thermograd.testing.contracts.targets import harmonic

__all__ = ["Problem", "laws", "make_problem"]

NUM_DATA = 500
NOISE = 1.2  # the source's relative noise of 0.1


@dataclass(frozen=True, slots=True)
class Problem:
    """A linear perceptron under mean squared error: U = ½(θ − θ*)ᵀH(θ − θ*) + U*.

    Attributes:
        network: U as the library evaluates it, from the data.
        hessian: H, of (w₁, w₂, b).
        minimum: θ*.
    """

    network: Network
    hessian: Tensor
    minimum: Tensor

    def force_gap(self) -> float:
        """Return the largest difference between the network's forces and −H(θ − θ*)."""
        theta = torch.randn(7, 3, generator=seeded(5), dtype=torch.float64)
        out = [torch.empty(7, 1, 2).double(), torch.empty(7, 1).double()]
        self.network.force([theta[:, None, :2], theta[:, 2:]], out=out)
        force = torch.cat([tensor.flatten(1) for tensor in out], dim=1)
        return float((force + (theta - self.minimum) @ self.hessian).abs().max())


def make_problem(seed: int) -> Problem:
    """Draw the data; labels are ±1."""
    x, y = toy.two_clusters(NUM_DATA, generator=seeded(seed), noise=NOISE, dtype=torch.float64)
    labels = 2.0 * y.double() - 1.0
    design = torch.cat([x, torch.ones(NUM_DATA, 1, dtype=torch.float64)], dim=1)
    model = mlp((2, 1), generator=seeded(seed)).double()
    return Problem(
        Network(model, "mse", (x, labels), scale="mean"),
        2 * design.T @ design / NUM_DATA,
        torch.linalg.lstsq(design, labels.unsqueeze(1)).solution[:, 0],
    )


def laws(
    method: str, hessian: Tensor, h: float, friction: float, temperature: float
) -> dict[str, float]:
    """Return the relative biases of a method's stationary law: virial and kinetic energy."""
    d = len(hessian)
    rows = tuple(tuple(float(value) for value in row) for row in hessian)
    target = harmonic(rows, tuple((0.0,) * d for _ in rows))
    setting = Setting(get(method), target, friction=friction, temperature=temperature, mass=1.0)
    law = stationary_covariance(read_step(setting, h))
    found = {"virial": float((hessian * law[:d, :d]).sum()) / (d * temperature) - 1}
    if setting.integrator.has_momenta:
        found["kinetic"] = float(law[d:, d:].diagonal()[:d].sum()) / (d * temperature) - 1
    return found
