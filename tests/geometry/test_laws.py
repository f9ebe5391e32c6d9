"""What constrained dynamics samples: laws with known moments, underdamped and overdamped."""

import math

import numpy as np
import pytest
import torch
from scipy.special import iv
from torch import Tensor

from thermograd.geometry import Circle, LevelSet, Manifold, Orthogonal, Sphere
from thermograd.integrators import resolve
from thermograd.noise import Gaussian, seeded
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Part
from thermograd.testing import assert_mean

from .cases import T
from .laws import (
    PULL,
    STIFFNESS,
    Bowl,
    Free,
    Tilt,
    averages,
    circle_mean_square,
    first,
    mean_square,
    sphere_mean,
)

pytestmark = pytest.mark.statistical


def test_closed_form_on_the_circle_is_the_quadrature_beside_the_arcsine_density() -> None:
    angle = (np.arange(4000) + 0.5) * np.pi / 4000
    theta = 1.3 * np.cos(angle)
    weight = np.exp(-STIFFNESS * theta**2 / (2 * T))
    assert circle_mean_square(1.3) == pytest.approx((weight * theta**2).sum() / weight.sum())


@pytest.mark.parametrize(
    ("word", "h"), [("BAOAB", 0.1), ("BAOAB", 0.2), ("OBABO", 0.05), ("OBABO", 0.1)]
)
@pytest.mark.parametrize("r", [0.8, 1.7])
def test_circle_law_with_a_potential(word: str, r: float, h: float, seed: int) -> None:
    found = averages(Bowl(), Circle(r), (4,), word, h, seed, steps=800, square=mean_square)
    assert_mean(found["square"], circle_mean_square(r), resolves=0.012 * r**2)


@pytest.mark.parametrize(
    ("geometry", "word"),
    [
        (Circle(1.3), "euler_maruyama"),
        (Circle(1.3), "leimkuhler_matthews"),
        (Sphere(1.3, slack=True, per="weight"), "euler_maruyama"),
        (Sphere(1.3, slack=True, per="weight"), "BAOAB"),
    ],
    ids=str,
)
def test_circle_law_of_other_methods_and_of_slack_variables(
    geometry: Manifold, word: str, seed: int
) -> None:
    h = 0.1 if word == "BAOAB" else 0.01
    found = averages(Bowl(), geometry, (4,), word, h, seed, steps=1200, square=mean_square)
    assert_mean(found["square"], circle_mean_square(1.3), resolves=0.02)


def test_free_circle_has_the_arcsine_density(seed: int) -> None:
    r = 1.3
    found = averages(
        Free(),
        Circle(r),
        (4,),
        "BAOAB",
        0.2,
        seed,
        steps=800,
        square=mean_square,
        fourth=lambda q: q.pow(4).mean(1),
    )
    assert_mean(found["square"], r**2 / 2, resolves=0.02)
    assert_mean(found["fourth"], 3 * r**4 / 8, resolves=0.03)


def test_closed_form_on_the_sphere_in_three_dimensions() -> None:
    kappa = PULL * 1.3 / T
    assert sphere_mean(3, 1.3) == pytest.approx(1.3 * (1 / math.tanh(kappa) - 1 / kappa))


@pytest.mark.parametrize(
    ("word", "h"), [("BAOAB", 0.1), ("BAOAB", 0.2), ("OBABO", 0.05), ("OBABO", 0.1)]
)
@pytest.mark.parametrize("d", [3, 6])
def test_sphere_law_in_a_linear_potential(d: int, word: str, h: float, seed: int) -> None:
    geometry = Sphere(1.3, per="tensor")
    found = averages(Tilt(), geometry, (d,), word, h, seed, steps=800, mean=first)
    assert_mean(found["mean"], sphere_mean(d, 1.3), resolves=0.025)
    assert_mean(found["kinetic"], T, resolves=0.02)


def test_sphere_law_of_the_overdamped_method(seed: int) -> None:
    geometry = Sphere(1.3, per="tensor")
    found = averages(Tilt(), geometry, (3,), "euler_maruyama", 0.01, seed, steps=1500, mean=first)
    assert_mean(found["mean"], sphere_mean(3, 1.3), resolves=0.03)


@pytest.mark.parametrize(("word", "h"), [("BAOAB", 0.1), ("euler_maruyama", 0.01)])
def test_sphere_with_slack_is_the_projected_law(word: str, h: float, seed: int) -> None:
    """The row and its slack are a sphere of one dimension more, so ⟨θ₁⟩ is that of d + 1."""
    geometry = Sphere(1.3, slack=True, per="tensor")
    found = averages(Tilt(), geometry, (2,), word, h, seed, steps=1500, mean=first)
    assert_mean(found["mean"], sphere_mean(3, 1.3), resolves=0.03)


@pytest.mark.parametrize("word", ["OBA", "ABO"])
def test_first_order_words_find_the_law_at_a_small_step(word: str, seed: int) -> None:
    geometry = Sphere(1.3, per="tensor")
    found = averages(Tilt(), geometry, (3,), word, 0.025, seed, steps=2000, mean=first)
    assert_mean(found["mean"], sphere_mean(3, 1.3), resolves=0.03)


def test_bias_of_obabo_on_the_circle_is_of_second_order(seed: int) -> None:
    """At h = 0.4 it is four times what it is at h = 0.2, where it is 0.0025."""
    off = [
        averages(Bowl(), Circle(0.8), (4,), "OBABO", h, seed + k, steps=600, square=mean_square)[
            "square"
        ]
        - circle_mean_square(0.8)
        for k, h in enumerate((0.4, 0.2))
    ]
    assert float(off[0].mean()) > 0.007
    assert_mean(off[0] - 4 * off[1], 0.0, resolves=0.006)


@pytest.mark.parametrize(
    ("shape", "word", "h"),
    [((4, 2), "BAOAB", 0.1), ((4, 2), "euler_maruyama", 0.004), ((3, 3), "OBABO", 0.1)],
)
def test_uniform_law_on_orthogonal_matrices(
    shape: tuple[int, int], word: str, h: float, seed: int
) -> None:
    r = shape[0]
    found = averages(
        Free(),
        Orthogonal(),
        shape,
        word,
        h,
        seed,
        steps=500,
        fourth=lambda q: q[:, 0, 0].pow(4),
        across=lambda q: q[:, 0, 0].square() * q[:, 0, 1].square(),
        mean=first,
    )
    assert_mean(found["fourth"], 3 / (r * (r + 2)), resolves=0.04)
    assert_mean(found["across"], 1 / (r * (r + 2)), resolves=0.015)
    assert_mean(found["mean"], 0.0, resolves=0.1)
    if "kinetic" in found:
        assert_mean(found["kinetic"], T, resolves=0.03)


def test_rotations_of_the_plane_in_a_linear_potential(seed: int) -> None:
    """There q₁₁ = cos φ, with φ uniform beside exp(c cos φ/T): the law of von Mises."""
    found = averages(Tilt(), Orthogonal(), (2, 2), "BAOAB", 0.1, seed, steps=400, mean=first)
    kappa = PULL / T
    assert_mean(found["mean"], iv(1, kappa) / iv(0, kappa), resolves=0.03)


AXES = (0.8, 1.7)
RING, TUBE = 1.5, 0.6


def ellipse(q: Tensor) -> Tensor:
    return ((q[0] / AXES[0]) ** 2 + (q[1] / AXES[1]) ** 2 - 1).reshape(1)


def torus(q: Tensor) -> Tensor:
    rho = q[:2].square().sum().sqrt()
    return ((rho - RING) ** 2 + q[2] ** 2 - TUBE**2).reshape(1)


def ellipse_square() -> float:
    """⟨x²⟩ by arc length."""
    t = (np.arange(20000) + 0.5) * 2 * np.pi / 20000
    speed = np.hypot(AXES[0] * np.sin(t), AXES[1] * np.cos(t))
    return float((speed * (AXES[0] * np.cos(t)) ** 2).sum() / speed.sum())


@pytest.mark.parametrize(
    ("word", "h", "steps"), [("BAOAB", 0.1, 120), ("euler_maruyama", 0.004, 600)]
)
def test_ellipse_has_the_law_of_arc_length(word: str, h: float, steps: int, seed: int) -> None:
    geometry = LevelSet(ellipse, on_failure="reverse")
    found = averages(
        Free(),
        geometry,
        (2,),
        word,
        h,
        seed,
        steps=steps,
        walkers=512,
        square=lambda q: q[:, 0].square(),
    )
    assert_mean(found["square"], ellipse_square(), resolves=0.08)
    if "kinetic" in found:
        assert_mean(found["kinetic"], T, resolves=0.1)


def test_torus_has_more_area_outside(seed: int) -> None:
    """The angle φ of the tube has the density ∝ R + r cos φ: ⟨ρ⟩ = R + r²/2R."""
    geometry = LevelSet(torus, on_failure="reverse")
    found = averages(
        Free(),
        geometry,
        (3,),
        "BAOAB",
        0.15,
        seed,
        steps=120,
        rho=lambda q: q[:, :2].norm(dim=1),
    )
    assert_mean(found["rho"], RING + TUBE**2 / (2 * RING), resolves=0.03)


@pytest.mark.parametrize("geometry", [Circle(1.3), Sphere(1.3)], ids=str)
def test_free_overdamped_motion_forgets_at_the_rate_of_the_laplacian(
    geometry: Manifold, seed: int
) -> None:
    """⟨q(t)·q(0)⟩ = r² exp(−(d − 1) T t/r²), for ξ as well as for θ on the circle."""
    walkers, h, steps = 4096, 0.01, 60
    d = 2 if isinstance(geometry, Circle) else 3
    method = resolve("euler_maruyama")
    q = [torch.randn(walkers, 1, d, generator=seeded(seed), dtype=torch.float64)]
    geometry.settle(q)
    if d == 2:
        uniform = torch.rand(walkers, 1, generator=seeded(seed), dtype=torch.float64)
        q = [1.3 * 2 * math.pi * uniform]  # arc lengths
    part = make_part(method, q, temperature=T, geometry=geometry)

    def nothing(part: Part, component: str | None = None) -> None:
        part.force.tensors[0].zero_()
        part.force.is_fresh = True

    env = Env(Gaussian(seeded(seed + 1)), nothing)
    before = part.q[0].clone()
    for _ in range(steps):
        method.step(part, h, env)
    if d == 2:
        overlap = ((part.q[0] - before) / 1.3).cos()[:, 0]
    else:
        overlap = (part.q[0] * before).sum((1, 2)) / 1.3**2
    rate = (d - 1) * T / 1.3**2
    assert_mean(overlap, math.exp(-rate * h * steps), resolves=0.05)
