"""Gaussian laws on a harmonic target: of the dynamics, and of a method that discretises it.

C = M C Mᵀ + S Sᵀ                            stationary law of x ← M x + S ξ
dX = A X dt + B dW,   X_t = e^{At} X_0 + …   the dynamics
"""

import torch
from torch import Tensor

from .probe import Affine, Setting


def spectral_radius(step: Affine) -> float:
    """Return the largest modulus of an eigenvalue."""
    return float(torch.linalg.eigvals(step.matrix).abs().max())


def stationary_covariance(step: Affine) -> Tensor:
    """Solve the discrete Lyapunov equation.

    Raises:
        ArithmeticError: if a mode does not decay.
    """
    radius = spectral_radius(step)
    if not radius < 1 - 1e-12:
        raise ArithmeticError(f"unstable: a mode grows by a factor {radius:.6g} a step")
    m, n = step.matrix, step.matrix.shape[0]
    system = torch.eye(n * n, dtype=m.dtype) - torch.kron(m, m)
    source = step.noise @ step.noise.T
    return torch.linalg.solve(system, source.flatten()).reshape(n, n)


def generator(setting: Setting) -> tuple[Tensor, Tensor]:
    """Return A and B Bᵀ of the dynamics that the method claims to discretise."""
    k, d, m = setting.target.quadratic, setting.num_params, setting.mass
    eye, zero = torch.eye(d, dtype=k.dtype), torch.zeros(d, d, dtype=k.dtype)
    dynamics, heat = setting.integrator.claims.dynamics, setting.temperature
    if dynamics == "overdamped":
        return -k / m, 2 * heat / m * eye
    if dynamics == "gradient flow":
        return -k / m, zero
    gamma = setting.friction if dynamics == "langevin" else 0.0
    drift = torch.cat([torch.cat([zero, eye / m], 1), torch.cat([-k, -gamma * eye], 1)])
    return drift, torch.block_diag(zero, 2 * gamma * m * heat * eye)


def exact_moments(setting: Setting, start: Tensor, time: float) -> tuple[Tensor, Tensor]:
    """Return mean and covariance of the dynamics at a time, from a point.

    The covariance comes from one matrix exponential (Van Loan 1978).
    """
    a, q = generator(setting)
    n = a.shape[0]
    block = torch.cat([torch.cat([-a, q], 1), torch.cat([torch.zeros_like(a), a.T], 1)])
    big = torch.linalg.matrix_exp(block * time)
    flow = big[n:, n:].T
    return flow @ start, flow @ big[:n, n:]


def moments_after(step: Affine, start: Affine, point: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """Return mean and covariance of a method after many steps, from a point."""
    mean = start.matrix @ point
    covariance = start.noise @ start.noise.T
    source = step.noise @ step.noise.T
    for _ in range(steps):
        mean = step.matrix @ mean
        covariance = step.matrix @ covariance @ step.matrix.T + source
    return mean, covariance
