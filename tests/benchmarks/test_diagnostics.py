"""The benchmark of diagnostics runs, and both ways compute the same."""

from pathlib import Path

from benchmarks.diagnostics import iat, surface


def test_surface_and_loop_agree() -> None:
    found = surface.measure(1, num_data=300, resolution=3)
    assert found["difference_at_the_middle"] < 1e-5
    assert found["ratio"] > 0


def test_times_and_loop_agree(tmp_path: Path) -> None:
    found = iat.measure(1, tmp_path, num_draws=20_000, width=4)
    assert found["largest_relative_difference"] < 1e-3
    assert found["ratio"] > 0
