"""Laws on orthogonal matrices and level sets in a potential; orders of bias; what theorems say."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from thermograd.geometry import Circle, LevelSet, Manifold, Orthogonal, Sphere
from thermograd.integrators import resolve
from thermograd.noise import Gaussian, seeded
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Force, Part
from thermograd.testing import assert_mean

from .cases import T
from .laws import PULL, Bowl, Tilt, averages, circle_mean_square, first, mean_square, sphere_mean

AXES = (0.8, 1.1)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("shape", "word", "h"),
    [
        ((4, 2), "OBABO", 0.1),
        ((4, 2), "BAOAB", 0.2),
        ((4, 2), "euler_maruyama", 0.006),
        ((3, 5), "OBABO", 0.1),
    ],
)
def test_orthogonal_law_in_a_linear_potential(
    shape: tuple[int, int], word: str, h: float, seed: int
) -> None:
    """The tilted column is alone in U, so its law is that of a sphere; others stay across it."""
    n = max(shape)
    found = averages(
        Tilt(),
        Orthogonal(),
        shape,
        word,
        h,
        seed,
        steps=300,
        walkers=1024,
        mean=first,
        square=lambda q: q[:, 0, 0].square(),
        across=lambda q: (q[:, 0, 1] if shape[0] > shape[1] else q[:, 1, 0]).square(),
    )
    assert_mean(found["mean"], sphere_mean(n, 1.0), resolves=0.05)
    assert_mean(found["across"] + found["square"] / (n - 1), 1 / (n - 1), resolves=0.04)
    if "kinetic" in found:
        assert_mean(found["kinetic"], T, resolves=0.03)


def ellipse(q: Tensor) -> Tensor:
    return ((q[0] / AXES[0]) ** 2 + (q[1] / AXES[1]) ** 2 - 1).reshape(1)


def tilted_ellipse_mean() -> float:
    """⟨x⟩ by arc length beside exp(c x/T)."""
    t = (np.arange(20000) + 0.5) * 2 * np.pi / 20000
    x = AXES[0] * np.cos(t)
    weight = np.hypot(AXES[0] * np.sin(t), AXES[1] * np.cos(t)) * np.exp(PULL * x / T)
    return float((weight * x).sum() / weight.sum())


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("word", "h", "steps"),
    [("BAOAB", 0.1, 120), ("OBABO", 0.05, 200), ("euler_maruyama", 0.02, 400)],
)
def test_ellipse_law_in_a_linear_potential(word: str, h: float, steps: int, seed: int) -> None:
    geometry = LevelSet(ellipse, on_failure="reverse")
    found = averages(Tilt(), geometry, (2,), word, h, seed, steps=steps, walkers=512, mean=first)
    assert_mean(found["mean"], tilted_ellipse_mean(), resolves=0.1)


@pytest.mark.statistical
def test_bias_of_c_colod_is_of_first_order(seed: int) -> None:
    """At h = 0.06 it is twice what it is at h = 0.03."""
    geometry = Sphere(0.8, slack=True, per="weight")
    off = [
        averages(
            Bowl(), geometry, (8,), "euler_maruyama", h, seed + k, steps=500, square=mean_square
        )["square"]
        - circle_mean_square(0.8)
        for k, h in enumerate((0.06, 0.03))
    ]
    assert float(off[0].mean()) > 0.004
    assert_mean(off[0] - 2 * off[1], 0.0, resolves=0.006)


def mean_curvature(geometry: Manifold) -> Callable[[Tensor], Tensor]:
    def project(x: Tensor, v: Tensor) -> Tensor:
        part = Part([x.clone()[None]], [v.clone()[None]], Force([]), geometry)
        geometry.project_tangent(part)
        return part.p[0][0]

    def curvature(x: Tensor) -> Tensor:
        """Return (I − Π) div Π at x, by central differences along the tangent space."""
        size, step = x.numel(), 1e-5
        total = torch.zeros_like(x)
        for k in range(size):
            unit = torch.zeros(size, dtype=x.dtype)
            unit[k] = 1.0
            unit = unit.view(x.shape)
            way = project(x, unit)  # Π eₖ; the sum of its derivatives along eₖ, tangentially
            ahead, behind = project(x + step * way, unit), project(x - step * way, unit)
            total += (ahead - behind) / (2 * step)
        return total - project(x, total)

    return curvature


@pytest.mark.parametrize(
    ("geometry", "shape", "rate"),
    [
        (Sphere(1.3, per="tensor"), (4,), 3 / 1.3**2),
        (Orthogonal(), (4, 2), 4 - 3 / 2),
        (Orthogonal(), (3, 3), 3 - 4 / 2),
    ],
    ids=str,
)
def test_mean_curvature_is_the_normal_part_of_the_divergence_of_the_projection(
    geometry: Manifold, shape: tuple[int, ...], rate: float, seed: int
) -> None:
    """H = (I − Π) div Π: −(d − 1) q/r² on a sphere, −(n − (k + 1)/2) Q on orthogonal matrices."""
    q = [torch.randn(1, *shape, generator=seeded(seed), dtype=torch.float64)]
    geometry.settle(q)
    found = mean_curvature(geometry)(q[0][0])
    torch.testing.assert_close(found, -rate * q[0][0], rtol=0, atol=1e-8)


def free_run(geometry: Manifold, shape: tuple[int, ...], h: float, steps: int, seed: int) -> Tensor:
    """Return positions or arcs of free overdamped motion, (steps + 1, W, ...)."""
    method, walkers = resolve("euler_maruyama"), 4096
    q = [torch.randn(walkers, *shape, generator=seeded(seed), dtype=torch.float64)]
    if not isinstance(geometry, Circle):
        geometry.settle(q)
    part = make_part(method, q, temperature=T, geometry=geometry)

    def nothing(part: Part, component: str | None = None) -> None:
        part.force.tensors[0].zero_()
        part.force.is_fresh = True

    env = Env(Gaussian(seeded(seed + 1)), nothing)
    path = [part.q[0].clone()]
    for _ in range(steps):
        method.step(part, h, env)
        path.append(part.q[0].clone())
    return torch.stack(path)


@pytest.mark.statistical
def test_free_orthogonal_matrices_forget_at_the_rate_of_their_mean_curvature(seed: int) -> None:
    """DQ = T H dt + noise, so ⟨Q(t)·Q(0)⟩ = k exp(−(n − (k + 1)/2) T t)."""
    path = free_run(Orthogonal(), (4, 2), 0.01, 40, seed)
    overlap = (path[-1] * path[0]).sum((1, 2)) / 2
    assert_mean(overlap, math.exp(-2.5 * T * 0.4), resolves=0.03)


@pytest.mark.statistical
def test_time_averages_on_the_circle_scatter_as_the_central_limit_theorem_says(seed: int) -> None:
    """In n steps, n Var(mean) = σ² (1 + 2 Σ (1 − k/n) ρᵏ), ρ = e^{−Th/r²}; Poincaré bounds it."""
    r, h, steps = 0.6, 0.05, 240
    path = free_run(Circle(r), (1,), h, steps, seed)
    start = 2 * math.pi * r * torch.rand(4096, 1, generator=seeded(seed + 2), dtype=torch.float64)
    theta = r * ((path - path[0] + start) / r).sin()[1:, :, 0]
    rho, n = math.exp(-T * h / r**2), steps
    pairs = sum((n - k) * rho**k for k in range(1, n))
    expected = r**2 / 2 * (n + 2 * pairs) / n
    assert_mean(n * theta.mean(0).square(), expected, resolves=0.15 * expected)
    assert h * expected <= 2 * (r**2 / T) * r**2 / 2 + h * r**2 / 2
