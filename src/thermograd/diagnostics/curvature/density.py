"""Spectral density of a curvature by Lanczos quadrature, without one eigenvalue being found.

    φ(t) = (1/d) Σ_i N(t; λ_i, s²) ≈ mean over probes of Σ_k w_k N(t; θ_k, s²)

A probe v of length 1 gives a tridiagonal matrix after K steps; its eigenvalues are the nodes θ_k,
the squared first entries of its eigenvectors the weights w_k, which integrate every polynomial up
to degree 2K − 1 exactly against the spectrum as v sees it.

References:
    Ghorbani, Krishnan and Xiao (2019), arXiv:1901.10159, algorithms 1 and 2.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..._checks import is_int, positive, require
from .._progress import track
from ..estimate import Array, Estimate
from .operator import SymmetricOperator

__all__ = ["SpectralDensity", "spectral_density"]

MARGIN = 4.0  # widths beyond the outermost nodes


@dataclass(frozen=True, slots=True, eq=False)
class SpectralDensity:
    """A smoothed density of eigenvalues.

    Attributes:
        grid: eigenvalues t.
        density: φ at t; its uncertainty is the standard error over the probes.
        width: s.
        nodes: θ, shape (probes, K).
        weights: w, shape (probes, K); each row sums to 1.
    """

    grid: Array
    density: Estimate[Array]
    width: float
    nodes: Array
    weights: Array

    def fraction(self, low: float, high: float) -> Estimate[float]:
        """Return the share of eigenvalues from `low` to `high`, read off the unsmoothed nodes."""
        inside = (self.nodes >= low) & (self.nodes <= high)
        shares = (self.weights * inside).sum(1)
        error = float(shares.std(ddof=1)) / len(shares) ** 0.5
        return Estimate(float(shares.mean()), error, len(shares), "1")


def spectral_density(
    operator: SymmetricOperator,
    *,
    num_steps: int = 64,
    num_probes: int = 8,
    width: float | None = None,
    num_points: int = 1024,
    generator: torch.Generator,
) -> SpectralDensity:
    """Return the density of a curvature's eigenvalues.

    Args:
        operator: the matrix.
        num_steps: K, cut at d; holds K vectors at a time.
        num_probes: at least 2.
        width: s of the smoothing; 1/100 of the spectrum's extent if not given.
        num_points: of the grid.
        generator: draws the probes.
    """
    owner = "spectral_density"
    for name, value in (("num_steps", num_steps), ("num_probes", num_probes)):
        require(is_int(value) and value > 1, name, owner, "an integer above 1", value)
    pairs = [
        _quadrature(operator, operator.draw(generator), min(num_steps, operator.num_params))
        for _ in track(range(num_probes), f"density of the {operator.name}")
    ]
    longest = max(len(nodes) for nodes, _ in pairs)
    nodes = np.stack([np.pad(n, (0, longest - len(n)), mode="edge") for n, _ in pairs])
    weights = np.stack([np.pad(w, (0, longest - len(w))) for _, w in pairs])
    low, high = float(nodes.min()), float(nodes.max())
    extent = high - low or abs(high) or 1.0
    s = extent / 100 if width is None else positive(width, "width", owner)
    grid = np.linspace(low - MARGIN * s, high + MARGIN * s, num_points)
    each = np.stack([_smoothed(grid, *pair, s) for pair in zip(nodes, weights, strict=True)])
    error = each.std(axis=0, ddof=1) / num_probes**0.5
    density = Estimate(each.mean(axis=0), error, num_probes, "parameter²/loss")
    return SpectralDensity(grid, density, s, nodes, weights)


def _smoothed(grid: Array, nodes: Array, weights: Array, s: float) -> Array:
    bumps = np.exp(-((grid[:, None] - nodes) ** 2) / (2 * s * s)) / (s * (2 * np.pi) ** 0.5)
    return bumps @ weights


def _quadrature(operator: SymmetricOperator, start: Tensor, num_steps: int) -> tuple[Array, Array]:
    """Return nodes and weights of Lanczos from a start, orthogonalised fully and twice."""
    v = start / start.norm()
    basis = torch.empty(num_steps, len(v), dtype=v.dtype, device=v.device)
    diagonal: list[float] = []
    off: list[float] = []
    for step in range(num_steps):
        basis[step] = v
        w = operator @ v
        diagonal.append(float(v @ w))
        known = basis[: step + 1]
        for _ in range(2):
            w = w - known.T @ (known @ w)
        size = float(w.norm())
        scale = max(*map(abs, diagonal), max(off, default=0.0))
        if step + 1 == num_steps or size <= 10 * torch.finfo(v.dtype).eps * scale:
            break
        off.append(size)
        v = w / size
    matrix = np.diag(diagonal) + np.diag(off, 1) + np.diag(off, -1)
    values, vectors = np.linalg.eigh(matrix)
    return values, vectors[0] ** 2
