"""Local entropy: an objective smoothed where exp(−U/T) is, so that wide valleys count for more.

    f_γ(x) = −T log E exp(−U(x + √(γT) ξ)/T),   ξ ~ N(0, I)
    ∇f_γ(x) = (x − ⟨y⟩)/γ = ⟨∇U(y)⟩,   y ~ exp(−(U(y) + |y − x|²/(2γ))/T)

f_γ → U as γ → 0; as T → 0 it is the Moreau envelope (`hamilton_jacobi`); the mean of U itself
instead of its exponential gives the heat equation (`heat`). It solves u_t = −½|∇u|² + (T/2) Δu.

For U = ½ Σ kᵢ qᵢ²:   f_γ = ½ Σ kᵢ qᵢ²/(1 + γkᵢ) + (T/2) Σ log(1 + γkᵢ).

References:
    Chaudhari et al. (2017), arXiv:1611.01838; thesis, eq. (4.11), offset of Example 4.12 corrected.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from .._checks import non_negative, positive, positive_int
from ..potentials import Harmonic

__all__ = ["Energy", "local_entropy", "local_entropy_gradient", "smoothed_harmonic"]

Energy: TypeAlias = Callable[[Tensor], Tensor]


def smoothed_harmonic(
    harmonic: Harmonic, scope: float, temperature: float = 0.0
) -> tuple[Harmonic, float]:
    """Return the local entropy of a harmonic potential: another one, and a constant.

    Args:
        harmonic: U.
        scope: γ > 0.
        temperature: T ≥ 0; at 0 this is the Moreau envelope.
    """
    owner = "smoothed_harmonic"
    gamma = positive(scope, "scope", owner)
    heat = non_negative(temperature, "temperature", owner)
    spectrum = tuple(k / (1.0 + gamma * k) for k in harmonic.spectrum)
    offset = 0.5 * heat * math.fsum(math.log1p(gamma * k) for k in harmonic.spectrum)
    return Harmonic(spectrum), offset


def local_entropy(
    energy: Energy, x: Tensor, *, scope: float, temperature: float, nodes: int = 120
) -> Tensor:
    """Return f_γ of a function of one variable, by Gauss-Hermite quadrature.

    Args:
        energy: U, element by element.
        x: where, any shape.
        scope: γ > 0.
        temperature: T > 0.
        nodes: of the quadrature; they reach 2√nodes √(γT) far, and U must be smooth between them.
    """
    _, log_weights = _clouds(energy, x, scope, temperature, nodes)
    return -temperature * torch.logsumexp(log_weights, -1)


def local_entropy_gradient(
    energy: Energy, x: Tensor, *, scope: float, temperature: float, nodes: int = 120
) -> Tensor:
    """Return ∇f_γ = (x − ⟨y⟩)/γ of a function of one variable; arguments as `local_entropy`."""
    y, log_weights = _clouds(energy, x, scope, temperature, nodes)
    mean = (torch.softmax(log_weights, -1) * y).sum(-1)
    return (x - mean) / scope


def _clouds(
    energy: Energy, x: Tensor, scope: float, temperature: float, nodes: int
) -> tuple[Tensor, Tensor]:
    """Return points around each x, and the logarithms of their weights."""
    owner = "local_entropy"
    width = math.sqrt(positive(scope, "scope", owner) * positive(temperature, "temperature", owner))
    points, weights = np.polynomial.hermite_e.hermegauss(positive_int(nodes, "nodes", owner))
    kept = weights > 0
    xi = torch.as_tensor(points[kept], dtype=x.dtype, device=x.device)
    log_w = torch.as_tensor(np.log(weights[kept] / weights.sum()), dtype=x.dtype, device=x.device)
    y = x.unsqueeze(-1) + width * xi
    return y, log_w - energy(y) / temperature
