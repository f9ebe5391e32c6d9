"""Generated problems in the plane, each drawn from a generator that is passed in.

Each function returns points of shape (N, 2) and class numbers 0 and 1 of shape (N,), int64, class
0 first: ⌈N/2⌉ points of class 0, then ⌊N/2⌋ of class 1. t ~ U(0, 1) and ξ ~ N(0, I) are drawn anew
for every point. For targets of ±1 take 2y − 1.

References:
    Vlaar (2022), PhD thesis, University of Edinburgh, equations 3.32 (spirals) and 3.33
    (trigonometric data).
    Heber, Trstanova and Leimkuhler (2020), arXiv:1903.08640: clusters, discs and squares.
"""

import math

import torch
from torch import Tensor

from .._checks import non_negative, positive, positive_int, require

__all__ = [
    "circles",
    "discs",
    "moons",
    "random_labels",
    "spirals",
    "squares",
    "trigonometric",
    "two_clusters",
]

Points = tuple[Tensor, Tensor]


def spirals(
    num_points: int,
    *,
    generator: torch.Generator,
    turns: float = 2.0,
    exponent: float = 0.5,
    scale: float = 2.0,
    noise: float = 0.02,
    dtype: torch.dtype = torch.float32,
) -> Points:
    """Draw two spirals around each other, the one a half turn behind the other.

        r = a tᵖ,   φ = 2π b tᵖ + π y,   x = r (cos φ, sin φ) + c ξ

    Args:
        num_points: N.
        generator: the stream of draws.
        turns: b, how often a spiral winds around the origin.
        exponent: p > 0; at ½ the points fill the disc evenly.
        scale: a, the outer radius.
        noise: c.
        dtype: float32 or float64.

    >>> from thermograd.noise import seeded
    >>> x, y = spirals(500, generator=seeded(3), turns=4)
    >>> x.shape, y.bincount()
    (torch.Size([500, 2]), tensor([250, 250]))
    """
    a, p = positive(scale, "scale", "spirals"), positive(exponent, "exponent", "spirals")
    b = positive(turns, "turns", "spirals")
    y, t = _labels(num_points, "spirals"), _uniform(num_points, generator, dtype)
    reach = t**p
    angle = 2 * math.pi * b * reach + math.pi * y.to(dtype)
    return _noisy(a * reach.unsqueeze(1) * _on_circle(angle), noise, generator, "spirals"), y


def trigonometric(
    num_points: int,
    *,
    generator: torch.Generator,
    frequency: float = 2.0,
    scale: float = 3.0,
    noise: float = 0.02,
    dtype: torch.dtype = torch.float32,
) -> Points:
    """Draw a cosine for class 0 and a sine for class 1; the curves cross.

        x₁ = a t,   x₂ = cos(π b t) + c ξ  or  sin(π b t) + c ξ

    This is equation 3.33 as printed, where a only stretches the picture. The source's figures get
    harder as a grows, which fits cos(π b x₁) instead: for that reading take `frequency = a * b`.

    Args:
        num_points: N.
        generator: the stream of draws.
        frequency: b, half waves over the whole width.
        scale: a, the width.
        noise: c, along the second axis only.
        dtype: float32 or float64.
    """
    owner = "trigonometric"
    a, b = positive(scale, "scale", owner), positive(frequency, "frequency", owner)
    y, t = _labels(num_points, owner), _uniform(num_points, generator, dtype)
    angle = math.pi * b * t
    height = torch.where(y == 0, angle.cos(), angle.sin()).unsqueeze(1)
    return torch.cat([a * t.unsqueeze(1), _noisy(height, noise, generator, owner)], 1), y


def two_clusters(
    num_points: int,
    *,
    generator: torch.Generator,
    centre: float = 2.0,
    noise: float = 0.5,
    dtype: torch.dtype = torch.float32,
) -> Points:
    """Draw two Gaussian clouds, around (−m, −m) for class 0 and (m, m) for class 1.

    TATi's relative noise r is `noise = 0.5 + 7 r`, so its r = 0.1 is `noise = 1.2`.

    Args:
        num_points: N.
        generator: the stream of draws.
        centre: m.
        noise: standard deviation of each coordinate.
        dtype: float32 or float64.
    """
    owner = "two_clusters"
    y = _labels(num_points, owner)
    middle = positive(centre, "centre", owner) * (2 * y - 1).to(dtype).unsqueeze(1)
    return _noisy(middle.repeat(1, 2), noise, generator, owner), y


def circles(
    num_points: int,
    *,
    generator: torch.Generator,
    outer: float = 2.0,
    inner: float = 1.0,
    noise: float = 0.02,
    dtype: torch.dtype = torch.float32,
) -> Points:
    """Draw an outer circle for class 0 and an inner one for class 1.

    Args:
        num_points: N.
        generator: the stream of draws.
        outer: radius of class 0.
        inner: radius of class 1.
        noise: standard deviation of what is added to each coordinate.
        dtype: float32 or float64.
    """
    y, t = _labels(num_points, "circles"), _uniform(num_points, generator, dtype)
    radii = (positive(outer, "outer", "circles"), positive(inner, "inner", "circles"))
    radius = torch.tensor(radii, dtype=dtype)[y].unsqueeze(1)
    return _noisy(radius * _on_circle(2 * math.pi * t), noise, generator, "circles"), y


def discs(
    num_points: int,
    *,
    generator: torch.Generator,
    radius: float = 5.0,
    dtype: torch.dtype = torch.float32,
) -> Points:
    """Draw a ring, 0.7 R ≤ r ≤ R, for class 0, and a disc within it, r ≤ 0.5 R, for class 1.

    These are TATi's two circles without noise: r and the angle are uniform.

    Args:
        num_points: N.
        generator: the stream of draws.
        radius: R.
        dtype: float32 or float64.
    """
    y, t = _labels(num_points, "discs"), _uniform(num_points, generator, dtype)
    reach = positive(radius, "radius", "discs") * torch.where(y == 0, 0.7 + 0.3 * t, 0.5 * t)
    angle = 2 * math.pi * _uniform(num_points, generator, dtype)
    return reach.unsqueeze(1) * _on_circle(angle), y


def moons(
    num_points: int,
    *,
    generator: torch.Generator,
    noise: float = 0.1,
    dtype: torch.dtype = torch.float32,
) -> Points:
    """Draw two half circles that reach into each other.

        class 0: (cos πt, sin πt) + c ξ,   class 1: (1 − cos πt, ½ − sin πt) + c ξ

    Args:
        num_points: N.
        generator: the stream of draws.
        noise: c.
        dtype: float32 or float64.
    """
    y, t = _labels(num_points, "moons"), _uniform(num_points, generator, dtype)
    arc, is_first = _on_circle(math.pi * t), (y == 0).unsqueeze(1)
    points = torch.where(is_first, arc, torch.tensor([1.0, 0.5], dtype=dtype) - arc)
    return _noisy(points, noise, generator, "moons"), y


def squares(
    num_points: int,
    *,
    generator: torch.Generator,
    radius: float = 5.0,
    gap: float = 0.3,
    dtype: torch.dtype = torch.float32,
) -> Points:
    """Draw four squares, opposite ones in one class: exclusive or.

    In class 1 both coordinates have one sign, in class 0 they differ; each is uniform between
    the gap and gap + R. With R = 5 and a gap of 0.3 these are TATi's squares without noise, but
    for classes of one size.

    Args:
        num_points: N.
        generator: the stream of draws.
        radius: R, the side of a square.
        gap: distance of the squares from both axes.
        dtype: float32 or float64.
    """
    side, gap = positive(radius, "radius", "squares"), non_negative(gap, "gap", "squares")
    y = _labels(num_points, "squares")
    first, second, sign = (_uniform(num_points, generator, dtype) for _ in range(3))
    sign = torch.where(sign < 0.5, -1.0, 1.0).to(dtype)
    other = sign * (2 * y - 1).to(dtype)
    return torch.stack([sign * (gap + side * first), other * (gap + side * second)], 1), y


def random_labels(
    y: Tensor, num_classes: int, *, generator: torch.Generator, share: float = 1.0
) -> Tensor:
    """Return the labels with a share of them replaced by classes drawn evenly.

    round(share · N) examples are chosen; the class drawn for one may be its own.

    Args:
        y: class numbers, shape (N,).
        num_classes: how many classes to draw from.
        generator: the stream of draws.
        share: between 0 and 1.
    """
    owner = "random_labels"
    positive_int(num_classes, "num_classes", owner)
    ok = non_negative(share, "share", owner) <= 1
    require(ok, "share", owner, "between 0 and 1", share)
    chosen = torch.randperm(len(y), generator=generator)[: round(share * len(y))]
    drawn = torch.randint(num_classes, chosen.shape, generator=generator)
    return y.index_put((chosen,), drawn.to(y.dtype))


def _labels(num_points: int, owner: str) -> Tensor:
    num = positive_int(num_points, "num_points", owner)
    return (torch.arange(num) >= (num + 1) // 2).long()


def _uniform(num: int, generator: torch.Generator, dtype: torch.dtype) -> Tensor:
    return torch.rand(num, generator=generator, dtype=dtype)


def _on_circle(angle: Tensor) -> Tensor:
    return torch.stack([angle.cos(), angle.sin()], 1)


def _noisy(points: Tensor, noise: float, generator: torch.Generator, owner: str) -> Tensor:
    xi = torch.randn(points.shape, generator=generator, dtype=points.dtype)
    return points + non_negative(noise, "noise", owner) * xi
