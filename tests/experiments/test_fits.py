"""The slopes that the experiments report."""

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).parents[2] / "experiments" / "heber2020_common" / "fits.py"
STEPS = (0.5, 0.25, 0.125)


@pytest.fixture(scope="module")
def fits() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fits", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_slope_of_a_power_is_its_exponent(fits: ModuleType) -> None:
    found, _ = fits.slope(STEPS, [-0.3 * h**1.7 for h in STEPS], [1e-3] * 3)
    assert found == pytest.approx(1.7, abs=1e-12)


def test_slope_error_is_that_of_two_points(fits: ModuleType) -> None:
    # log b₁ − log b₂ has variance (e₁/b₁)² + (e₂/b₂)²
    found, error = fits.slope((0.4, 0.2), (0.8, 0.1), (0.03, 0.01))
    assert found == pytest.approx(3.0)
    assert error == pytest.approx(math.hypot(0.03 / 0.8, 0.01 / 0.1) / math.log(2))


def test_slope_leaves_out_what_is_not_resolved(fits: ModuleType) -> None:
    biases = [0.3 * h**2 for h in STEPS[:2]] + [0.09]
    found, _ = fits.slope(STEPS, biases, [1e-3, 1e-3, 0.02])
    assert found == pytest.approx(2.0)
    assert math.isnan(fits.slope(STEPS, biases, [1.0] * 3)[0])
