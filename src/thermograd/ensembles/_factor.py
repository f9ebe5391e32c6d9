"""Factors B of preconditioners M = B Bᵀ, one for each walker, from samples of where walkers were.

    M_i = 1 + η C_i,   C_i = (1 − ρ_i) cov(samples of all walkers but i) + ρ_i μ_i 1

With X (S, N) the centred samples, cov_i = Uᵢ Uᵢᵀ where Uᵢ = Xᵀ P_i/√(n − 1) and P_i centres the n
samples of others. Then M_i = a (1 + η' Uᵢ Uᵢᵀ) with a = 1 + η ρ_i μ_i, η' = η (1 − ρ_i)/a, and its
symmetric root is

    B_i = √a (1 + Xᵀ S_i X),   S_i = P_i V k(g) Vᵀ P_i/(n − 1),   k(g) = η'/(√(1 + η' g) + 1)

where V diag(g) Vᵀ = Uᵢᵀ Uᵢ is S × S. No g is divided by, so a rank below n − 1 does no harm; the
samples are kept once for all walkers, and B x costs O(N S). The dense form is the Cholesky
factor of M_i.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

__all__ = ["apply", "apply_transposed", "dense", "identity", "low_rank"]

Coupling = Mapping[str, Tensor]


def identity(x: Tensor, num_samples: int, is_dense: bool) -> dict[str, Tensor]:
    """Return the factors B = 1 for walkers at x, (W, N)."""
    width, size = x.shape
    if is_dense:
        return {"factor": torch.eye(size, dtype=x.dtype, device=x.device).repeat(width, 1, 1)}
    return {
        "samples": x.new_zeros(num_samples, size),
        "mixing": x.new_zeros(width, num_samples, num_samples),
        "stretch": x.new_ones(width),
    }


def apply(coupling: Coupling, x: Tensor) -> Tensor:
    """Return B_i x_i for every walker, (W, N)."""
    if "factor" in coupling:
        return torch.bmm(coupling["factor"], x.unsqueeze(2)).squeeze(2)
    return _apply_low_rank(coupling, x)


def apply_transposed(coupling: Coupling, x: Tensor) -> Tensor:
    """Return B_iᵀ x_i for every walker, (W, N)."""
    if "factor" in coupling:
        return torch.bmm(x.unsqueeze(1), coupling["factor"]).squeeze(1)
    return _apply_low_rank(coupling, x)


def low_rank(x: Tensor, counts: Tensor, eta: float, shrinkage: float | None) -> dict[str, Tensor]:
    """Return the low-rank factors for samples x, (S, N).

    Args:
        x: samples; those that count for nobody may be anything.
        counts: which samples count for which walker, bool, (W, S).
        eta: η ≥ 0.
        shrinkage: ρ; None for that of Ledoit and Wolf.
    """
    samples = _centred(x, counts)
    gram = (samples @ samples.T).double()
    mixing, stretch = list[Tensor](), list[Tensor]()
    for mask in counts:
        projector, num = _others(mask)
        if num < 2:
            mixing.append(torch.zeros_like(gram))
            stretch.append(gram.new_ones(()))
            continue
        inner = projector @ gram @ projector
        rho, level = _shrinkage(inner, num, x.shape[1], shrinkage)
        a = 1 + eta * rho * level
        blend = eta * (1 - rho) / a
        g, v = torch.linalg.eigh(inner / (num - 1))
        k = blend / (torch.sqrt(1 + blend * g.clamp_min(0)) + 1)
        root = projector @ (v * k) @ v.T @ projector / (num - 1)
        mixing.append(0.5 * (root + root.T))
        stretch.append(a.sqrt())
    return {
        "samples": samples,
        "mixing": torch.stack(mixing).to(x),
        "stretch": torch.stack(stretch).to(x),
    }


def dense(x: Tensor, counts: Tensor, eta: float, shrinkage: float | None) -> dict[str, Tensor]:
    """Return the Cholesky factors for samples x, (S, N); arguments as for `low_rank`."""
    samples = _centred(x, counts).double()
    gram = samples @ samples.T
    eye = torch.eye(x.shape[1], dtype=torch.float64, device=x.device)
    factors = list[Tensor]()
    for mask in counts:
        projector, num = _others(mask)
        if num < 2:
            factors.append(eye)
            continue
        rho, level = _shrinkage(projector @ gram @ projector, num, x.shape[1], shrinkage)
        covariance = samples.T @ projector @ samples / (num - 1)
        blended = (1 + eta * rho * level) * eye + eta * (1 - rho) * covariance
        factors.append(torch.linalg.cholesky(blended))
    return {"factor": torch.stack(factors).to(x)}


def _apply_low_rank(coupling: Coupling, x: Tensor) -> Tensor:
    samples = coupling["samples"]
    mixed = torch.bmm(coupling["mixing"], (x @ samples.T).unsqueeze(2)).squeeze(2)
    return torch.addmm(x, mixed, samples).mul_(coupling["stretch"].unsqueeze(1))


def _centred(x: Tensor, counts: Tensor) -> Tensor:
    used = counts.any(0).unsqueeze(1)
    mean = torch.where(used, x, 0.0).sum(0) / used.sum().clamp_min(1)
    return torch.where(used, x - mean, 0.0)


def _others(counts: Tensor) -> tuple[Tensor, int]:
    """Return the matrix that centres the samples that count, and how many they are."""
    mask = counts.double()
    num = int(mask.sum())
    return torch.diag(mask) - torch.outer(mask, mask) / max(num, 1), num


def _shrinkage(
    inner: Tensor, num: int, size: int, given: float | None
) -> tuple[Tensor | float, Tensor]:
    """Return ρ and μ = tr cov/N from the inner products of centred samples.

    ρ of Ledoit and Wolf (2004), doi:10.1016/S0047-259X(03)00096-4: the mean square error of the
    covariance over its distance from μ 1, with the covariance taken over n.
    """
    level = inner.trace() / ((num - 1) * size)
    if given is not None:
        return given, level
    scale = inner.trace() / (num * size)
    squared = inner.square().sum() / num**2
    distance = squared - size * scale**2
    error = (inner.diagonal().square().sum() - num * squared) / num**2
    rho = torch.where(distance > 0, (error / distance).clamp(0.0, 1.0), 1.0)
    return rho, level
