"""Projected gradient descent of walkers on a sphere, and the minima that they find."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from thermograd.geometry import Sphere
from thermograd.potentials import SpinGlass
from thermograd.state import Force, Part

__all__ = ["Found", "descend", "gather", "uniform_on_sphere"]

CHUNK, CHECK_EVERY = 500, 10


@dataclass(frozen=True)
class Found:
    """Where walkers came to rest.

    Attributes:
        points: shape (W, N).
        steps: each walker's, shape (W,), in multiples of 10.
        residual: norms of the gradient along the sphere, shape (W,).
    """

    points: Tensor
    steps: Tensor
    residual: Tensor


def uniform_on_sphere(num: int, num_spins: int, generator: torch.Generator) -> Tensor:
    """Draw points with |q|² = N."""
    x = torch.randn(num, num_spins, generator=generator)
    return x * (math.sqrt(num_spins) / x.norm(dim=1, keepdim=True))


def descend(
    glass: SpinGlass, starts: Tensor, *, step: float, tolerance: float, max_steps: int
) -> Found:
    """Descend from every start until the gradient along the sphere is small.

    One step: f ← −∇U(q) projected on the tangent plane; q ← √N (q + step f)/|q + step f|.
    """
    parts = [_descend(glass, part, step, tolerance, max_steps) for part in starts.split(CHUNK)]
    points, steps, residual = (torch.cat(column) for column in zip(*parts, strict=True))
    return Found(points, steps, residual)


def _descend(
    glass: SpinGlass, starts: Tensor, step: float, tolerance: float, max_steps: int
) -> tuple[Tensor, Tensor, Tensor]:
    sphere = Sphere(math.sqrt(glass.num_params), per="tensor")
    rest = starts.clone()
    steps, residual = torch.zeros(len(starts)), torch.full((len(starts),), math.inf)
    moving = torch.arange(len(starts))
    q = starts.clone()
    for count in range(max_steps + 1):
        force = torch.empty_like(q)
        glass.force([q], out=[force])
        part = Part([q], [force], Force([force]), sphere)
        sphere.project_tangent(part)
        if count % CHECK_EVERY == 0:
            norms = force.norm(dim=1)
            rest[moving], residual[moving], steps[moving] = q, norms, float(count)
            going = norms > tolerance
            moving, q, force = moving[going], q[going], force[going]
            if not len(moving):
                break
        q.add_(force, alpha=step)
        sphere.retract(Part([q], [], Force([force]), sphere), [])
    return rest, steps, residual


def gather(points: Tensor, overlap: float = 0.99) -> tuple[Tensor, Tensor]:
    """Return a representative of each minimum, shape (M, N), and the minimum of each walker.

    Args:
        points: on the sphere, shape (W, N).
        overlap: q·q'/N from which on two walkers are in one minimum.
    """
    n = points.shape[1]
    labels = torch.full((len(points),), -1)
    leaders: list[Tensor] = []
    while bool((labels < 0).any()):
        first = points[int((labels < 0).nonzero()[0])]
        same = (labels < 0) & (points @ first / n > overlap)
        labels[same] = len(leaders)
        leaders.append(first)
    return torch.stack(leaders), labels
