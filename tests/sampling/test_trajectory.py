"""Chunks are written by a thread: nothing is lost, reordered, or wrong in silence."""

from pathlib import Path

import numpy as np
import pytest
import torch

from thermograd.sampling.trajectory import Array, Key, Trajectory, ZarrStore

KEY: Key = ("posterior", "q")


def draws(count: int) -> torch.Tensor:
    return torch.arange(count * 6, dtype=torch.float64).view(count, 3, 2)


@pytest.mark.parametrize("flushed_after", [0, 4, 6, 7])
def test_stored_draws_are_those_appended(flushed_after: int, tmp_path: Path) -> None:
    trajectory = Trajectory(ZarrStore(tmp_path / "t.zarr", {KEY: 3}), {KEY: 3})
    for count, draw in enumerate(draws(23), start=1):
        trajectory.append({KEY: draw})
        if count == flushed_after:
            trajectory.flush()
    expected = draws(23).transpose(0, 1).numpy()
    assert np.array_equal(trajectory.read()[KEY], expected)
    assert np.array_equal(ZarrStore(tmp_path / "t.zarr", {}).read(KEY, 23), expected)


def test_failed_write_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: ZarrStore, key: Key, start: int, rows: Array) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(ZarrStore, "write", full)
    trajectory = Trajectory(ZarrStore(tmp_path / "t.zarr", {KEY: 3}), {KEY: 3})
    for draw in draws(4):
        trajectory.append({KEY: draw})
    trajectory.settle()
    with pytest.raises(OSError, match="no space left"):
        trajectory.flush()
