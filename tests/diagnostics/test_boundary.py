"""The boundary of a classifier: circles and lines, whose curvature is known."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from thermograd._errors import NonFiniteError, ParameterError
from thermograd.diagnostics.boundary import (
    contour_curvature,
    curvature,
    decision_regions,
    level_set_curvature,
    transition_sharpness,
)
from thermograd.models import mlp
from thermograd.noise import seeded

BOUNDS = (-1.3, 1.3, -1.2, 1.2)


def disc(radius: float, steep: float = 2.7) -> object:
    """Return φ that is ½ on the circle of a radius; smooth at the middle."""
    return lambda z: torch.sigmoid(steep * ((z**2).sum(1) - radius**2))


@pytest.mark.parametrize("radius", [0.4, 0.7])
def test_circle_has_the_curvature_of_its_radius(radius: float) -> None:
    grid = decision_regions(disc(radius), BOUNDS, resolution=400)  # pyright: ignore[reportArgumentType]
    found = level_set_curvature(grid)
    assert found.num_pieces == 1
    assert found.mean.value == pytest.approx(1 / radius, rel=1e-3)
    assert found.maximum == pytest.approx(1 / radius, rel=3e-3)
    assert found.mean.n == len(found.values) == len(found.points)
    printed = contour_curvature(grid)
    assert printed.median == pytest.approx(1 / radius, rel=0.1)


def test_level_set_error_falls_with_the_square_of_the_spacing() -> None:
    errors: list[float] = []
    for resolution in (100, 200, 400):
        grid = decision_regions(disc(0.6), BOUNDS, resolution=resolution)  # pyright: ignore[reportArgumentType]
        errors.append(float(np.abs(level_set_curvature(grid).values - 1 / 0.6).max()))
    assert errors[0] / errors[1] > 3.2
    assert errors[1] / errors[2] > 3.2


def test_formula_of_the_contour_is_exact_on_a_smooth_parametrisation() -> None:
    t = np.linspace(0, 2 * np.pi, 2001)
    circle = 2.5 * np.stack([np.cos(t), np.sin(t)], 1)
    circle[-1] = circle[0]
    kappa = curvature._along(circle, is_closed=True)  # pyright: ignore[reportPrivateUsage]
    np.testing.assert_allclose(kappa, 0.4, rtol=1e-5)
    ellipse = np.stack([1.7 * np.cos(t[:-1]), 0.6 * np.sin(t[:-1])], 1)
    a, b, s = 1.7, 0.6, t[:-1]
    exact = a * b / (a**2 * np.sin(s) ** 2 + b**2 * np.cos(s) ** 2) ** 1.5
    kappa = curvature._along(ellipse, is_closed=False)  # pyright: ignore[reportPrivateUsage]
    np.testing.assert_allclose(kappa[3:-3], exact[3:-3], rtol=1e-3)


def test_contour_of_a_circle_is_as_wrong_as_the_page_says() -> None:
    grid = decision_regions(disc(0.7), BOUNDS)  # pyright: ignore[reportArgumentType]
    printed, exact = contour_curvature(grid), level_set_curvature(grid)
    said = (round(printed.mean.value, 2), round(printed.sd, 2), round(printed.maximum, 2))
    assert said == (1.64, 0.8, 3.27)
    assert (round(exact.mean.value, 5), round(exact.maximum, 5)) == (1.42856, 1.42858)
    assert exact.sd < 2e-5


def test_another_level_of_the_disc_is_a_circle_too() -> None:
    radius = math.sqrt(0.76 + math.log(0.2 / 0.8) / 2.7)  # σ(2.7 (r² − 0.76)) = 0.2
    grid = decision_regions(disc(math.sqrt(0.76)), BOUNDS, resolution=400)  # pyright: ignore[reportArgumentType]
    found = level_set_curvature(grid, level=0.2)  # φ_xy is not 0 here, as it is at ½
    np.testing.assert_allclose(found.values, 1 / radius, rtol=3e-3)


def test_straight_boundary_is_not_bent_and_two_circles_are_two_pieces() -> None:
    grid = decision_regions(lambda z: torch.sigmoid(3 * (z[:, 0] + 0.3 * z[:, 1])), BOUNDS)
    assert level_set_curvature(grid).maximum < 1e-3

    def two(z: Tensor) -> Tensor:
        left = (z - torch.tensor([-0.6, 0.0])).norm(dim=1)
        right = (z - torch.tensor([0.6, 0.0])).norm(dim=1)
        return torch.minimum(left, right)

    grid = decision_regions(two, BOUNDS, resolution=300)
    found = level_set_curvature(grid, level=0.4)
    assert found.num_pieces == 2
    assert found.median == pytest.approx(1 / 0.4, rel=1e-3)


def test_transition_is_the_slope() -> None:
    grid = decision_regions(lambda z: torch.sigmoid(1.7 * z[:, 0] + 0.4 * z[:, 1]), BOUNDS)
    found = transition_sharpness(grid)
    assert found.steepest.value == pytest.approx(1.7 / 4, rel=1e-4)
    assert float(np.abs(found.vertical).max()) == pytest.approx(0.4 / 4, rel=1e-4)


def test_grid_is_what_the_model_says_in_eval_mode_whatever_the_memory() -> None:
    model = mlp((2, 9, 1), "tanh", generator=seeded(3)).double()
    few = decision_regions(model, BOUNDS, resolution=12, memory=9000)
    x, y = np.meshgrid(few.x, few.y)
    points = torch.tensor(np.stack([x.ravel(), y.ravel()], 1))
    expected = model(points).detach().reshape(12, 12).numpy()
    np.testing.assert_allclose(few.values, expected, atol=1e-14)


class Noisy(nn.Module):
    def forward(self, z: Tensor) -> Tensor:
        return z[:, 0] + torch.rand(len(z))


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="asked again"):
        decision_regions(Noisy(), BOUNDS, resolution=9)
    with pytest.raises(ParameterError, match="bounds"):
        decision_regions(lambda z: z[:, 0], (1.5, 0.5, 0.0, 2.0))
    with pytest.raises(ParameterError, match="predict"):
        decision_regions(lambda z: z, BOUNDS, resolution=9)
    with pytest.raises(NonFiniteError):
        decision_regions(lambda z: z[:, 0] / 0, BOUNDS, resolution=9)
    grid = decision_regions(lambda z: z[:, 0], BOUNDS, resolution=9)
    with pytest.raises(ParameterError, match=r"values run from -1\.3 to 1\.3"):
        level_set_curvature(grid, level=7.0)
