"""Autocorrelation of first-order autoregression, whose times are known, and literal twins.

Coverage of a stated error is measured over series; it fails by chance once in 10⁵ tries (4.5
standard errors of a share).
"""

import math
from pathlib import Path

import numpy as np
import pytest
import zarr
from numpy.typing import NDArray

from thermograd._errors import NonFiniteError, ParameterError
from thermograd.diagnostics.correlation import (
    autocorrelation,
    autocorrelation_times,
    autocorrelation_times_along,
    covariance_directions,
    effective_sample_size,
    increment_spectrum,
)

Draws = NDArray[np.float64]


def autoregression(shape: tuple[int, int, int], phi: float, seed: int) -> Draws:
    """Return x_{t+1} = φ x_t + √(1 − φ²) ξ stationary, (W, K, D); τ = (1 + φ)/(1 − φ)."""
    noise = np.random.default_rng(seed).standard_normal(shape)
    for t in range(1, shape[1]):
        noise[:, t] = phi * noise[:, t - 1] + math.sqrt(1 - phi**2) * noise[:, t]
    return noise


def literal_covariance(x: Draws, num_lags: int) -> Draws:
    """The definition, lag by lag, for one series (K,)."""
    y = x - x.mean()
    return np.array([float((y[: len(y) - k] * y[k:]).sum()) for k in range(num_lags + 1)]) / len(y)


def literal_sokal(x: Draws) -> float:
    """The loop of emcee for one series: FFT of the whole, automatic window c = 5."""
    size = 1 << (2 * len(x) - 1).bit_length()
    f = np.fft.fft(x - x.mean(), n=size)
    acf = np.fft.ifft(f * np.conjugate(f))[: len(x)].real
    taus = 2 * np.cumsum(acf / acf[0]) - 1
    m = np.arange(len(taus)) < 5 * taus
    return float(taus[np.argmin(m)] if np.any(m) else taus[-1])


@pytest.mark.parametrize("memory", [1, 1 << 28])
def test_times_are_those_of_the_literal_loop_however_the_draws_are_cut(memory: int) -> None:
    draws = autoregression((1, 20_000, 3), 0.8, seed=3) + np.array([0.0, 3.3, 1e5])
    found = autocorrelation_times(draws, memory=memory)
    expected = [literal_sokal(draws[0, :, k]) for k in range(3)]
    np.testing.assert_allclose(found.time.value, expected, rtol=1e-6)
    assert found.agree.all()
    assert (found.time.n, found.time.unit) == (20_000, "draws")


def test_a_store_on_disk_gives_the_same(tmp_path: Path) -> None:
    draws = autoregression((2, 9000, 4), 0.6, seed=4).reshape(2, 9000, 2, 2)
    store = zarr.create_array(
        tmp_path / "draws.zarr", shape=draws.shape, chunks=(2, 1000, 2, 2), dtype=draws.dtype
    )
    store[:] = draws
    found = autocorrelation_times(store, memory=1)
    here = autocorrelation_times(draws)
    np.testing.assert_allclose(found.time.value, here.time.value, rtol=1e-9)
    assert found.shape == (2, 2)


def test_slow_series_are_found_in_further_passes() -> None:
    draws = autoregression((1, 60_000, 2), 0.99, seed=5)
    draws[..., 1] = autoregression((1, 60_000, 1), 0.3, seed=6)[..., 0]
    found = autocorrelation_times(draws)
    expected = [literal_sokal(draws[0, :, k]) for k in range(2)]
    np.testing.assert_allclose(found.time.value, expected, rtol=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("phi", [0.0, 0.7])
def test_stated_error_of_a_time_covers(phi: float) -> None:
    exact, runs = (1 + phi) / (1 - phi), 400
    found = autocorrelation_times(autoregression((1, 4000, runs), phi, seed=7))
    off = np.abs(found.time.value - exact) / found.time.uncertainty
    share = np.array([(off < 1).mean(), (off < 1.96).mean()])
    # the window's cut and the mean leave a bias of a few tenths of a standard error
    assert 0.60 < share[0] < 0.85
    assert 0.90 < share[1] < 0.995


def test_walkers_are_averaged_about_their_own_means() -> None:
    draws = autoregression((8, 6000, 1), 0.7, seed=8) + 50.0 * np.arange(8)[:, None, None]
    found = autocorrelation_times(draws)
    exact = 1.7 / 0.3
    assert abs(found.time.value[0] - exact) < 5 * found.time.uncertainty[0]
    ess = effective_sample_size(found)
    assert ess.value[0] == pytest.approx(48_000 / found.time.value[0])
    relative = found.time.uncertainty[0] / found.time.value[0]
    assert ess.uncertainty[0] == pytest.approx(ess.value[0] * relative)


def test_short_chain_gets_a_bound_and_no_number() -> None:
    draws = autoregression((1, 800, 1), 0.98, seed=9)
    found = autocorrelation_times(draws)
    assert math.isnan(found.time.value[0])
    assert math.isnan(effective_sample_size(found).value[0])
    assert found.at_least[0] == pytest.approx(16)
    assert found.at_least[0] < 1.98 / 0.02
    assert found.describe() == (
        "at least 16 draws: a walker has fewer than 50 autocorrelation times, too few for a number"
    )


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 / 3])
def test_constant_trajectory_has_no_time_and_says_so(value: float) -> None:
    found = autocorrelation_times(np.full((2, 5000, 1), value))
    assert math.isnan(found.time.value[0])
    assert found.is_constant.all()
    assert found.describe() == "undefined: the trajectory is constant"


def test_windows_that_disagree_are_named() -> None:
    t = np.arange(40_000)
    rng = np.random.default_rng(2)
    x = np.cos(0.9 * t) + 0.7 * rng.standard_normal(len(t))  # ρ oscillates: no reversible chain
    found = autocorrelation_times(x[None, :, None])
    assert not found.agree[0]
    assert "the windows do not agree, Geyer's window says" in found.describe()


@pytest.mark.statistical
def test_autocorrelation_is_its_definition_and_white_noise_stays_in_the_band() -> None:
    draws = autoregression((1, 3000, 400), 0.0, seed=10)
    draws[..., 0] = 0.25
    found = autocorrelation(draws, num_lags=20)
    expected = literal_covariance(draws[0, :, 5], 20)
    np.testing.assert_allclose(found.values.value[:, 5], expected / expected[0], atol=1e-12)
    outside = np.abs(found.values.value[1:, 1:]) > found.band
    assert abs(outside.mean() - 0.01) < 4.5 * math.sqrt(0.01 * 0.99 / outside.size)
    assert found.num_constant == 1
    np.testing.assert_allclose(found.values.uncertainty[1], 3000**-0.5)


@pytest.mark.statistical
def test_bartlett_error_covers_beyond_the_memory_of_a_chain() -> None:
    draws = autoregression((1, 4000, 400), 0.6, seed=11)
    found = autocorrelation(draws, num_lags=30).values
    off = np.abs(found.value[25]) / found.uncertainty[25]
    assert abs((off < 1.96).mean() - 0.95) < 4.5 * math.sqrt(0.95 * 0.05 / 400)


@pytest.mark.statistical
def test_increments_of_a_random_walk_are_white() -> None:
    walk = np.cumsum(np.random.default_rng(12).standard_normal((2, 1001, 150)), axis=1)
    found = increment_spectrum(walk, memory=400_000)
    low, high = found.band
    assert abs(float(found.power.value.mean()) - 1) < 0.01
    assert float(np.abs((found.power.value - 1) / found.power.uncertainty).max()) < 5.5
    assert found.frequencies[-1] == pytest.approx(0.5)
    one = increment_spectrum(walk[:1, :, :1]).power.value
    assert abs(((one < low) | (one > high)).mean() - 0.01) < 0.03
    smooth = np.sin(np.arange(1001) / 40)[None, :, None]
    peak = increment_spectrum(smooth)
    assert peak.frequencies[int(peak.power.value.argmax())] == pytest.approx(4 / 1000)


def test_directions_are_those_of_the_covariance() -> None:
    rng = np.random.default_rng(13)
    turn = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    scales = np.array([4.3, 2.1, 0.9, 0.4, 0.2])
    fast = autoregression((3, 4000, 5), 0.3, seed=14)
    fast[..., 0] = autoregression((3, 4000, 1), 0.8, seed=15)[..., 0]
    draws = (fast * scales) @ turn.T
    found = covariance_directions(draws, 3)
    overlap = np.abs(found.vectors @ turn[:, :3])
    np.testing.assert_allclose(np.diag(overlap), 1, atol=1e-2)
    np.testing.assert_allclose(found.variances.value, scales[:3] ** 2, rtol=0.2)
    times = autocorrelation_times_along(draws, found.vectors, memory=100_000)
    assert times.time.value[0] == pytest.approx(9.0, rel=0.2)
    assert times.time.value[1] == pytest.approx(1.3 / 0.7, rel=0.2)


def test_bad_draws_are_refused() -> None:
    draws = autoregression((2, 300, 2), 0.3, seed=16)
    draws[1, 77, 0] = math.nan
    with pytest.raises(NonFiniteError, match="NaN"):
        autocorrelation_times(draws)
    with pytest.raises(NonFiniteError, match="NaN"):
        increment_spectrum(draws)
    with pytest.raises(NonFiniteError, match="NaN"):
        covariance_directions(draws, 2)
    with pytest.raises(ParameterError, match="walkers, draws"):
        autocorrelation_times(draws[0, :, 0])
    with pytest.raises(ParameterError, match="from 1 to 299"):
        autocorrelation(draws, num_lags=300)
    with pytest.raises(NonFiniteError, match="constant"):
        autocorrelation(np.ones((1, 30, 2)), num_lags=4)
    with pytest.raises(ParameterError, match="4 draws"):
        increment_spectrum(np.ones((1, 3, 2)))
    assert autocorrelation_times(np.ones((1, 1, 1))).is_constant.all()
