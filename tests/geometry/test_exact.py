"""Manifolds without sampling: what a drift, a projection and a retraction keep."""

import math

import pytest
import torch
from torch import Tensor

from thermograd.geometry import Circle, LevelSet, Manifold, Orthogonal, Sphere, positions
from thermograd.noise import seeded

from ..reference.constrained import onto, stiefel_a, tangent
from .cases import NAMES, M, T, example, flat_of, part_on, points, run, tangency

WORDS = ("OBA", "ABO", "BAOAB", "OBABO", "euler_maruyama")
LIMITS = {torch.float64: 1e-13, torch.float32: 1e-6}


def unit_sphere(q: Tensor) -> Tensor:
    return (q.square().sum() - 1).reshape(1)


def matrix(seed: int, *shape: int) -> Tensor:
    return torch.linalg.qr(torch.randn(shape, generator=seeded(seed + 40), dtype=torch.float64))[0]


@pytest.mark.parametrize("dtype", list(LIMITS), ids=str)
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", NAMES)
def test_steps_stay_on_the_manifold(name: str, word: str, dtype: torch.dtype, seed: int) -> None:
    found = example(name)
    part = part_on(found.geometry, points(found, seed, 2, dtype), word)
    run(part, word, 30 if name == "level_set" else 200, 0.01, seed)
    assert float(found.geometry.residual(part).max()) <= LIMITS[dtype]
    if part.p:
        scale = max(1.0, *(float(p.abs().max()) for p in part.p))
        assert tangency(part) <= LIMITS[dtype] * scale


@pytest.mark.parametrize("name", NAMES)
def test_drift_is_reversible(name: str, seed: int) -> None:
    found = example(name)
    part = part_on(found.geometry, points(found, seed, 3))
    q, p = flat_of(part.q).clone(), flat_of(part.p).clone()
    found.geometry.drift(part, 0.07)
    assert float((flat_of(part.q) - q).abs().max()) > 1e-3
    for momenta in part.p:
        momenta.neg_()
    found.geometry.drift(part, 0.07)
    torch.testing.assert_close(flat_of(part.q), q, rtol=0, atol=1e-13)
    torch.testing.assert_close(flat_of(part.p), -p, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_projection_is_idempotent_and_symmetric(name: str, seed: int) -> None:
    found = example(name)
    part = part_on(found.geometry, points(found, seed, 2))
    generator = seeded(seed + 1)

    def projected(start: list[Tensor]) -> Tensor:
        for p, value in zip(part.p, start, strict=True):
            p.copy_(value)
        found.geometry.project_tangent(part)
        return flat_of(part.p).clone()

    def draw() -> list[Tensor]:
        return [torch.randn(p.shape, generator=generator, dtype=p.dtype) for p in part.p]

    a, b = draw(), draw()
    once_a, once_b = projected(a), projected(b)
    for p, value in zip(part.p, a, strict=True):
        p.copy_(value)
    found.geometry.project_tangent(part)
    found.geometry.project_tangent(part)
    torch.testing.assert_close(flat_of(part.p), once_a, rtol=0, atol=1e-13)
    left, right = (once_a * flat_of(b)).sum(1), (flat_of(a) * once_b).sum(1)
    torch.testing.assert_close(left, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_degrees_of_freedom_are_the_rank_of_the_projection(name: str, seed: int) -> None:
    found = example(name)
    part = part_on(found.geometry, points(found, seed, 1))
    size = flat_of(part.p).shape[1]
    columns: list[Tensor] = []
    for k in range(size):
        unit = torch.eye(size, dtype=torch.float64)[k : k + 1]
        pieces = unit.split([p[0].numel() for p in part.p], 1)
        for p, piece in zip(part.p, pieces, strict=True):
            p.copy_(piece.view(p.shape))
        found.geometry.project_tangent(part)
        columns.append(flat_of(part.p)[0].clone())
    rank = int(torch.linalg.matrix_rank(torch.stack(columns), atol=1e-9))
    assert found.geometry.degrees_of_freedom(part, 1) == rank


@pytest.mark.parametrize("geometry", [Circle(1.7), Sphere(1.7, slack=True), Sphere(1.7)], ids=str)
def test_drift_keeps_the_speed_and_adds_up(geometry: Manifold, seed: int) -> None:
    q = [0.5 * torch.randn(2, 3, 4, generator=seeded(seed), dtype=torch.float64)]
    geometry.settle(q)
    once, twice = part_on(geometry, q, seed=seed), part_on(geometry, q, seed=seed)
    speed = flat_of(once.p).norm(dim=1)
    geometry.drift(once, 0.9)
    geometry.drift(twice, 0.3)
    geometry.drift(twice, 0.6)
    torch.testing.assert_close(flat_of(once.p).norm(dim=1), speed, rtol=1e-13, atol=0)
    torch.testing.assert_close(flat_of(once.q), flat_of(twice.q), rtol=0, atol=1e-13)


def test_free_circle_turns_by_arc_over_radius(seed: int) -> None:
    geometry, theta = Circle(1.7), 0.4
    part = part_on(geometry, [torch.full((2, 3), theta, dtype=torch.float64)], seed=seed)
    turned = math.asin(theta / 1.7) + 0.8 * part.p[0] / (M * 1.7)
    geometry.drift(part, 0.8)
    torch.testing.assert_close(positions(geometry, part.q)[0], 1.7 * turned.sin())


def test_free_sphere_turns_in_the_plane_of_its_momentum(seed: int) -> None:
    geometry = Sphere(1.7)
    q = [torch.randn(4, 2, 3, generator=seeded(seed), dtype=torch.float64)]
    geometry.settle(q)
    part = part_on(geometry, q, seed=seed)
    p = part.p[0].clone()
    speed = p.norm(dim=2, keepdim=True) / M
    angle = 0.8 * speed / 1.7
    geometry.drift(part, 0.8)
    expected = angle.cos() * q[0] + angle.sin() * 1.7 * p / (M * speed)
    torch.testing.assert_close(part.q[0], expected, rtol=0, atol=1e-13)


def test_orthogonal_drift_and_projection_are_those_of_the_literal_algorithm(seed: int) -> None:
    q = matrix(seed, 5, 3)
    part = part_on(Orthogonal(), [q.unsqueeze(0)], seed=seed)
    p = part.p[0][0].clone()
    Orthogonal().drift(part, 0.05 * M)
    new_q, new_p = stiefel_a(q, p, 0.05)
    torch.testing.assert_close(part.q[0][0], new_q, rtol=0, atol=1e-13)
    torch.testing.assert_close(part.p[0][0], new_p, rtol=0, atol=1e-12)
    free = torch.randn(5, 3, generator=seeded(seed), dtype=torch.float64)
    part.p[0].copy_(free)
    Orthogonal().project_tangent(part)
    torch.testing.assert_close(part.p[0][0], tangent(new_q, free), rtol=0, atol=1e-13)


def test_orthogonal_retraction_is_the_fixed_point_of_the_literal_algorithm(seed: int) -> None:
    q = matrix(seed, 5, 3)
    free = q + 0.05 * torch.randn(5, 3, generator=seeded(seed), dtype=torch.float64)
    part = part_on(Orthogonal(), [free.unsqueeze(0)], "euler_maruyama")
    Orthogonal().retract(part, [q.unsqueeze(0)])
    torch.testing.assert_close(part.q[0][0], onto(q, free), rtol=0, atol=1e-13)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 2, 3, 1), (2, 2, 2, 2)], ids=str)
def test_wide_tall_and_convolution_weights_are_orthogonal(
    shape: tuple[int, ...], seed: int
) -> None:
    q = [torch.randn(1, *shape, generator=seeded(seed), dtype=torch.float64)]
    Orthogonal().settle(q)
    part = part_on(Orthogonal(), q, seed=seed)
    run(part, "BAOAB", 20, 0.01, seed)
    rows = part.q[0][0].flatten(1)
    gram = rows @ rows.T if rows.shape[0] <= rows.shape[1] else rows.T @ rows
    torch.testing.assert_close(
        gram, torch.eye(gram.shape[0], dtype=torch.float64), rtol=0, atol=1e-13
    )


def test_equal_shapes_move_together_as_they_do_alone(seed: int) -> None:
    one, other = matrix(seed, 5, 3)[None], matrix(seed + 1, 5, 3)[None]
    both = part_on(Orthogonal(), [one, other.mT.contiguous()], seed=seed)
    alone = part_on(Orthogonal(), [other.mT.contiguous()], seed=seed)
    alone.p[0].copy_(both.p[1])
    Orthogonal().drift(both, 0.05)
    Orthogonal().drift(alone, 0.05)
    torch.testing.assert_close(both.q[1], alone.q[0], rtol=0, atol=1e-14)


def test_orthogonal_matrix_of_one_column_is_the_sphere_to_third_order(seed: int) -> None:
    q = matrix(seed, 4, 1)[None]
    gaps: list[float] = []
    for h in (0.04, 0.02):
        column = part_on(Orthogonal(), [q], seed=seed)
        ball = part_on(Sphere(1.0, per="tensor"), [q], seed=seed)
        torch.testing.assert_close(column.p[0], ball.p[0], rtol=0, atol=1e-14)
        Orthogonal().drift(column, h)
        ball.geometry.drift(ball, h)
        gaps.append(float((column.q[0] - ball.q[0]).abs().max()))
    assert math.log2(gaps[0] / gaps[1]) == pytest.approx(3.0, abs=0.02)


def test_level_set_of_a_sphere_is_the_orthogonal_matrix_of_one_column(seed: int) -> None:
    q = matrix(seed, 4, 1)[None]
    column = part_on(Orthogonal(), [q], seed=seed)
    level = part_on(LevelSet(unit_sphere), [q], seed=seed)
    column.geometry.drift(column, 0.1)
    level.geometry.drift(level, 0.1)
    torch.testing.assert_close(column.q[0], level.q[0], rtol=0, atol=1e-13)
    torch.testing.assert_close(column.p[0], level.p[0], rtol=0, atol=1e-12)


def test_a_huge_circle_is_flat(seed: int) -> None:
    start = torch.randn(2, 3, generator=seeded(seed), dtype=torch.float64)
    results: list[Tensor] = []
    for geometry in (Circle(1e7), example("flat").geometry):
        part = part_on(geometry, [start.clone()], seed=seed)
        run(part, "BAOAB", 5, 0.1, seed)
        results.append(positions(geometry, part.q)[0])
    torch.testing.assert_close(results[0], results[1], rtol=0, atol=1e-8)
    assert float((results[0] - start).abs().max()) > 0.1 * T
