"""Toy problems: without noise every point is where the formula says; draws are owned."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from thermograd.data import toy
from thermograd.data.patches import CLEAN, MIXED, PATCH_ONLY, Patch, augment, draw_patch
from thermograd.noise import seeded
from thermograd.testing.statistics import assert_mean

F64 = torch.float64
Draw = Callable[..., tuple[Tensor, Tensor]]
PLANE: list[Draw] = [
    toy.spirals,
    toy.trigonometric,
    toy.two_clusters,
    toy.circles,
    toy.discs,
    toy.moons,
    toy.squares,
]


def close(left: Tensor, right: Tensor) -> None:
    torch.testing.assert_close(left, right, rtol=0, atol=1e-13)


@pytest.mark.parametrize("draw", PLANE)
@pytest.mark.parametrize("dtype", [torch.float32, F64])
def test_shapes_classes_and_determinism(draw: Draw, dtype: torch.dtype, seed: int) -> None:
    x, y = draw(101, generator=seeded(seed), dtype=dtype)
    assert (x.shape, x.dtype, y.dtype) == ((101, 2), dtype, torch.int64)
    assert y.tolist() == [0] * 51 + [1] * 50
    again, _ = draw(101, generator=seeded(seed), dtype=dtype)
    other, _ = draw(101, generator=seeded(seed + 7), dtype=dtype)
    assert torch.equal(x, again)
    assert not torch.equal(x, other)


@pytest.mark.parametrize(("turns", "exponent", "scale"), [(2.0, 0.5, 2.0), (4.3, 0.7, 1.6)])
def test_spirals_lie_on_their_curves(
    turns: float, exponent: float, scale: float, seed: int
) -> None:
    x, y = toy.spirals(
        64, generator=seeded(seed), turns=turns, exponent=exponent, scale=scale, noise=0, dtype=F64
    )
    t = torch.rand(64, generator=seeded(seed), dtype=F64)
    for point, label, moment in zip(x, y.tolist(), t.tolist(), strict=True):
        angle = 2 * turns * moment**exponent * math.pi + label * math.pi
        radius = scale * moment**exponent
        close(point, torch.tensor([radius * math.cos(angle), radius * math.sin(angle)], dtype=F64))


def test_second_spiral_is_the_first_negated(seed: int) -> None:
    """The angle is known from the radius alone, so a negated point lies on the other curve."""
    x, y = toy.spirals(200, generator=seeded(seed), turns=3, scale=1.7, noise=0, dtype=F64)
    radius = x.norm(dim=1)
    angle = 2 * math.pi * 3 * radius / 1.7
    first = radius.unsqueeze(1) * torch.stack([angle.cos(), angle.sin()], 1)
    close(x, torch.where((y == 0).unsqueeze(1), first, -first))


def test_trigonometric_points_lie_on_cosine_and_sine(seed: int) -> None:
    x, y = toy.trigonometric(
        90, generator=seeded(seed), frequency=2.5, scale=3.2, noise=0, dtype=F64
    )
    angle = math.pi * 2.5 * x[:, 0] / 3.2
    close(x[:, 1], torch.where(y == 0, angle.cos(), angle.sin()))
    assert x[:, 0].min() >= 0
    assert x[:, 0].max() <= 3.2


def test_clusters_without_noise_are_their_centres(seed: int) -> None:
    x, y = toy.two_clusters(40, generator=seeded(seed), centre=1.4, noise=0, dtype=F64)
    close(x, 1.4 * (2 * y - 1).to(F64).unsqueeze(1).repeat(1, 2))


def test_circles_have_their_radii(seed: int) -> None:
    x, y = toy.circles(80, generator=seeded(seed), outer=2.5, inner=0.8, noise=0, dtype=F64)
    close(x.norm(dim=1), torch.tensor([2.5, 0.8], dtype=F64)[y])


def test_discs_leave_a_ring_empty(seed: int) -> None:
    x, y = toy.discs(400, generator=seeded(seed), radius=3.0, dtype=F64)
    radius = x.norm(dim=1)
    assert radius[y == 1].max() <= 1.5
    assert radius[y == 0].min() >= 2.1
    assert radius.max() <= 3.0


def test_moons_lie_on_half_circles_and_swap_by_a_half_turn(seed: int) -> None:
    x, y = toy.moons(120, generator=seeded(seed), noise=0, dtype=F64)
    turned = torch.tensor([1.0, 0.5], dtype=F64) - x
    first = torch.where((y == 0).unsqueeze(1), x, turned)
    close(first.norm(dim=1), torch.ones(120, dtype=F64))
    assert first[:, 1].min() >= 0


def test_squares_are_exclusive_or_with_a_gap(seed: int) -> None:
    x, y = toy.squares(300, generator=seeded(seed), radius=4.0, gap=0.7, dtype=F64)
    assert torch.equal((x[:, 0] * x[:, 1] > 0).long(), y)
    assert x.abs().min() >= 0.7
    assert x.abs().max() <= 4.7


@pytest.mark.statistical
@pytest.mark.parametrize("draw", [toy.spirals, toy.two_clusters, toy.circles, toy.moons])
def test_noise_has_the_stated_size(draw: Draw, seed: int) -> None:
    """The same draws with and without noise differ by c ξ, E ξ² = 1: to 3% of its variance."""
    noisy, _ = draw(64_000, generator=seeded(seed), noise=0.3, dtype=F64)
    plain, _ = draw(64_000, generator=seeded(seed), noise=0, dtype=F64)
    squares = ((noisy - plain) / 0.3).square().reshape(64, -1).mean(1)
    assert_mean(squares, 1.0, resolves=0.03)


def test_random_labels_replace_a_share(seed: int) -> None:
    y = torch.full((1000,), 7)
    mixed = toy.random_labels(y, 5, generator=seeded(seed), share=0.3)
    assert int((mixed != 7).sum()) == 300
    assert set(mixed[mixed != 7].tolist()) == set(range(5))
    assert y.unique().tolist() == [7]
    assert torch.equal(toy.random_labels(y, 5, generator=seeded(seed), share=0), y)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"num_points": 0}, "num_points"),
        ({"num_points": 10, "noise": -0.1}, "noise"),
        ({"num_points": 10, "turns": 0}, "turns"),
        ({"num_points": 10, "exponent": float("nan")}, "exponent"),
    ],
)
def test_bad_options_are_named(options: dict[str, float], name: str) -> None:
    with pytest.raises(ValueError, match=f"the '{name}' of spirals must be"):
        toy.spirals(**options, generator=seeded(3))  # pyright: ignore[reportArgumentType]


@pytest.fixture
def patch() -> Patch:
    return draw_patch(4, 3, generator=seeded(5), size=5, dtype=F64)


def images(num: int, side: int = 9) -> tuple[Tensor, Tensor]:
    x = torch.randn((num, 3, side, side), generator=seeded(8), dtype=F64)
    return x, torch.randint(4, (num,), generator=seeded(9))


def test_patch_offsets_are_small(patch: Patch) -> None:
    assert patch.pattern.shape == (3, 5, 5)
    assert patch.offsets.shape == (4, 3, 5, 5)
    assert patch.offsets.abs().max() <= 0.1
    assert patch.offsets.unique().numel() == patch.offsets.numel()


@pytest.mark.statistical
def test_pattern_has_the_variance_of_the_source(seed: int) -> None:
    """E z² = 1.5625, to 2%."""
    pattern = draw_patch(2, 64, generator=seeded(seed), size=80, dtype=F64).pattern
    assert_mean(pattern.square().flatten(1).mean(1), 1.5625, resolves=0.03)


def test_clean_images_stay(patch: Patch) -> None:
    x, y = images(30)
    out, kind = augment(x, y, patch, generator=seeded(2), clean=1)
    assert kind.unique().tolist() == [CLEAN]
    assert torch.equal(out, x)


def test_mixed_images_get_pattern_and_signed_offset_in_the_middle(patch: Patch) -> None:
    x, y = images(60)
    out, kind = augment(x, y, patch, generator=seeded(2), clean=0, patch_only=0)
    assert kind.unique().tolist() == [MIXED]
    added = out - x
    middle = added[:, :, 2:7, 2:7] - patch.pattern
    outside = added.clone()
    outside[:, :, 2:7, 2:7] = 0
    assert outside.abs().max() == 0
    sign = (middle / patch.offsets[y]).flatten(1)
    torch.testing.assert_close(sign.abs(), torch.ones_like(sign), rtol=0, atol=1e-9)
    torch.testing.assert_close(sign, sign[:, :1].expand_as(sign), rtol=0, atol=1e-9)
    assert {round(value) for value in sign[:, 0].tolist()} == {-1, 1}


def test_patch_only_images_are_zero_elsewhere(patch: Patch) -> None:
    x, y = images(60)
    out, kind = augment(x, y, patch, generator=seeded(2), clean=0, patch_only=1)
    assert kind.unique().tolist() == [PATCH_ONLY]
    strength = ((out[:, :, 2:7, 2:7] - patch.pattern) / patch.offsets[y]).flatten(1)
    torch.testing.assert_close(strength, strength[:, :1].expand_as(strength), rtol=0, atol=1e-9)
    assert strength.abs().max() <= 1.75
    assert strength.abs().max() > 1.5
    out[:, :, 2:7, 2:7] = 0
    assert out.abs().max() == 0


def test_share_of_clean_images_is_exact_and_input_is_untouched(patch: Patch) -> None:
    x, y = images(50)
    before = x.clone()
    _, kind = augment(x, y, patch, generator=seeded(4), clean=0.2, patch_only=0.5)
    assert int((kind == CLEAN).sum()) == 10
    assert {MIXED, PATCH_ONLY} <= set(kind.tolist())
    assert torch.equal(x, before)


def test_images_smaller_than_the_patch_are_refused(patch: Patch) -> None:
    x, y = images(6, side=4)
    with pytest.raises(ValueError, match="the 'images' of augment must be floating point"):
        augment(x, y, patch, generator=seeded(4))
