"""Where multiple-time-step methods are stable on linear problems, and what they do there."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch

from thermograd.integrators._averaging import ReversibleAveraging
from thermograd.integrators.langevin_r_respa import langevin_r_respa
from thermograd.integrators.r_respa import r_respa
from thermograd.integrators.ra0 import ra0
from thermograd.integrators.ra1 import ra1
from thermograd.splitting import Word
from thermograd.testing.contracts.gaussian import spectral_radius
from thermograd.testing.contracts.probe import Setting, read_step
from thermograd.testing.contracts.targets import harmonic

from ..reference import averaging
from .oscillator import MASS, TEMPERATURE, law, mode, step

OMEGA = 2.3


@pytest.mark.parametrize("h_omega", [0.4, 1.99, 2.01, 2.6])
def test_eigenvalues_of_verlet(h_omega: float) -> None:
    matrix = step(mode("velocity_verlet", MASS * OMEGA**2), h_omega / OMEGA).matrix
    root = np.emath.sqrt(h_omega**2 - 4)
    expected = [(2 - h_omega**2 + sign * h_omega * root) / 2 for sign in (1, -1)]
    found = torch.linalg.eigvals(matrix).numpy()
    assert np.sort_complex(found) == pytest.approx(np.sort_complex(expected), abs=1e-12)


@pytest.mark.parametrize(("h_omega", "is_stable"), [(1.999, True), (2.001, False)])
def test_verlet_is_stable_up_to_two_over_omega(h_omega: float, is_stable: bool) -> None:
    found = spectral_radius(step(mode("velocity_verlet", MASS * OMEGA**2), h_omega / OMEGA))
    assert (found < 1 + 1e-12) is is_stable


def respa(word: Word, omega: float = 3.0, friction: float = 0.8) -> Setting:
    """Slow frequency 1 and fast frequency `omega`; 1000 fast steps resolve the fast motion."""
    return mode(word, MASS * omega**2, MASS, friction=friction)


@pytest.mark.parametrize("h", [0.3, 0.99, 1.7])
def test_trace_of_r_respa(h: float) -> None:
    matrix = step(respa(r_respa(1000)), h).matrix
    expected = 2 * math.cos(3 * h) - h / 3 * math.sin(3 * h)
    assert float(matrix.trace()) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("turns", "is_stable"),
    [
        (0.898, True),
        (0.903, False),
        (0.998, False),
        (1.002, True),
        (1.804, True),
        (1.808, False),
        (1.998, False),
        (2.002, True),
        (2.715, True),
        (2.721, False),
        (2.998, False),
        (3.002, True),
        (3.637, True),
        (3.643, False),
    ],
)
def test_resonances_of_r_respa(turns: float, is_stable: bool) -> None:
    # Ω = 3: unstable for hΩ/π in (0.9008, 1), (1.8057, 2), (2.718, 3) and from 3.640
    found = spectral_radius(step(respa(r_respa(1000)), turns * math.pi / 3))
    assert (found < 1 + 1e-9) is is_stable


@pytest.mark.parametrize(
    ("friction", "h", "printed"),
    [(1.0, 0.2, 0.101), (1.0, 0.6, 0.108), (1.0, 1.0, 0.124), (10.0, 1.0, 0.107)],
)
def test_langevin_r_respa_in_equilibrium(friction: float, h: float, printed: float) -> None:
    # exact 0.1 T/m at small h; figures to three digits for T = m = 1, k = 10
    setting = respa(langevin_r_respa(10), friction=friction)
    found = float(law(setting, h)[0, 0]) * MASS / TEMPERATURE
    assert found == pytest.approx(printed, abs=5.1e-4)


def test_langevin_r_respa_resonates_at_little_friction() -> None:
    assert spectral_radius(step(respa(langevin_r_respa(10), friction=0.1), 1.0)) > 1.001


SQUARE = 10.0  # Ω²


def averaged(make: Callable[[int], ReversibleAveraging], h: float, inner: int) -> averaging.Matrix:
    """Read the matrix of a method off it, in the coordinates of the model problem.

    The fast mass of the problem is 1/Ω²; with q = Ωx and p = p_x/Ω it is that of Q.
    """
    omega = math.sqrt(SQUARE)
    zero = ((0.0, 0.0), (0.0, 0.0))
    stiffness = ((1 + SQUARE, -(omega**3)), (-(omega**3), SQUARE**2))
    setting = Setting(make(inner), harmonic(zero, stiffness), mass=1.0)
    scale = np.array([1.0, omega, 1.0, 1 / omega])
    return scale[:, None] * read_step(setting, h).matrix.numpy() / scale


@pytest.mark.parametrize("turns", [0.4, 1.3, 1.8])
@pytest.mark.parametrize(
    ("make", "exact"), [(ra0, averaging.ra0), (ra1, averaging.ra1)], ids=["ra0", "ra1"]
)
def test_averaging_converges_to_the_printed_matrix(
    make: Callable[[int], ReversibleAveraging],
    exact: Callable[[float, float], averaging.Matrix],
    turns: float,
) -> None:
    h = turns * math.pi / SQUARE
    coarse, fine = (
        float(np.abs(averaged(make, h, inner) - exact(h, SQUARE)).max()) for inner in (150, 300)
    )
    assert fine < 1e-3
    assert coarse / fine == pytest.approx(4.0, rel=0.02)


BANDS = ((1.635, 1.925), (3.389, 3.845), (5.191, 5.750))
EDGES = [
    (edge + shift, is_stable)
    for low, high in BANDS
    for edge, shift, is_stable in (
        (low, -0.003, True),
        (low, 0.003, False),
        (high, -0.003, False),
        (high, 0.003, True),
    )
]


@pytest.mark.parametrize(("turns", "is_stable"), EDGES)
def test_bands_of_ra0(turns: float, is_stable: bool) -> None:
    matrix = averaging.ra0(turns * math.pi / SQUARE, SQUARE)
    assert bool(np.abs(np.linalg.eigvals(matrix)).max() < 1 + 1e-9) is is_stable


def test_ra1_has_no_bands() -> None:
    radii = [
        np.abs(np.linalg.eigvals(averaging.ra1(h, SQUARE))).max() for h in np.arange(1, 1901) / 1000
    ]
    assert max(radii) - 1 < 1e-9


@pytest.mark.parametrize("turns", [1.78, 3.6, 5.5])
def test_inside_a_band_ra0_grows_and_ra1_does_not(turns: float) -> None:
    h = turns * math.pi / SQUARE
    growth = [np.abs(np.linalg.eigvals(averaged(make, h, 400))).max() - 1 for make in (ra0, ra1)]
    assert growth[0] > 0.05
    assert growth[1] < 1e-3
