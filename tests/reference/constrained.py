"""Literal updates of constrained dynamics, one weight or one matrix at a time."""

import math

import torch
from torch import Tensor


def circle_od(
    theta: float, xi: float, slope: float, r: float, h: float, noise: tuple[float, float], t: float
) -> tuple[float, float]:
    """One step of c-CoLod, with the angle of the point and not its arctangent."""
    size = math.sqrt(2 * h * t)
    angle = math.atan2(xi + size * noise[1], theta - h * slope + size * noise[0])
    return r * math.cos(angle), r * math.sin(angle)


def circle_a(
    theta: float, xi: float, p: float, px: float, r: float, h: float
) -> tuple[float, float, float, float]:
    """The rotation of a weight and its slack."""
    w = (xi * p - theta * px) / r**2
    c, s = math.cos(w * h), math.sin(w * h)
    return (
        c * theta + s * xi,
        -s * theta + c * xi,
        w * (-s * theta + c * xi),
        -w * (c * theta + s * xi),
    )


def circle_b(
    theta: float, xi: float, p: float, px: float, slope: float, r: float, h: float
) -> tuple[float, float]:
    """The projected kick."""
    return p - h * (1 - theta**2 / r**2) * slope, px + h * theta * xi / r**2 * slope


def circle_o(
    theta: float, xi: float, p: float, px: float, r: float, c: float, size: float, noise: Tensor
) -> tuple[float, float]:
    """The projected bath."""
    a, b = c * p + size * float(noise[0]), c * px + size * float(noise[1])
    across = theta * xi / r**2
    return (1 - theta**2 / r**2) * a - across * b, -across * a + (1 - xi**2 / r**2) * b


def tangent(q: Tensor, p: Tensor) -> Tensor:
    """Project on the tangent space of orthogonal matrices."""
    return p - 0.5 * q @ (p.T @ q + q.T @ p)


def onto(q_old: Tensor, q_free: Tensor, iterations: int = 200) -> Tensor:
    """Iterate the quasi-Newton projection along the old matrix."""
    q, eye = q_free, torch.eye(q_old.shape[1], dtype=q_old.dtype)
    for _ in range(iterations):
        q = q - 0.5 * q_old @ (q.T @ q - eye)
    return q


def stiefel_a(q: Tensor, p: Tensor, h: float) -> tuple[Tensor, Tensor]:
    """RATTLE for free motion on orthogonal matrices."""
    free = q + h * p
    new = onto(q, free)
    return new, tangent(new, p + (new - free) / h)
