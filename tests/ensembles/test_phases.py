"""Cyclical phases and walker collapse."""

from pathlib import Path

import numpy as np
import pytest
import torch

import thermograd
from thermograd._errors import ParameterError
from thermograd.ensembles import Collapse, CyclicalPhases, Ensemble
from thermograd.potentials import Harmonic
from thermograd.sampling import resume
from thermograd.schedules import Cyclical

T = 0.7
TARGET = Harmonic((1.7, 0.4))


def run(ensemble: Ensemble, steps: int = 40, **changes: object) -> thermograd.sampling.Run:
    given: dict[str, object] = {
        "walkers": 4,
        "steps": steps,
        "seed": 3,
        "temperature": T,
        "step_size": Cyclical(peak=0.5, period=20, floor=0.02),
        "friction": 0.8,
        "mass": 1.3,
        "start": torch.full((4, 2), 1.2, dtype=torch.float64),
        "ensemble": ensemble,
        "progress": False,
    }
    return thermograd.sample(TARGET, "baoab", **{**given, **changes})  # pyright: ignore


def test_only_the_warm_phase_is_recorded() -> None:
    found = run(CyclicalPhases(period=20, explore=0.7))
    assert found.posterior["q"].shape == (4, 2 * 6, 2)


def test_walkers_are_equal_until_the_warm_phase() -> None:
    """Without noise, walkers that start in one place stay together; then they part."""
    cold = run(CyclicalPhases(period=20, explore=0.7), steps=14)
    q = cold.part.q[0]
    assert torch.equal(q, q[:1].expand(4, -1))
    warm = run(CyclicalPhases(period=20, explore=0.7), steps=16).part.q[0]
    assert float(warm.std(0).min()) > 0


def test_the_second_cycle_is_cold_again() -> None:
    ensemble = CyclicalPhases(period=20, explore=0.7)
    assert [ensemble.next_update(step) for step in (0, 13, 14, 19, 20, 33)] == [
        14,
        14,
        20,
        20,
        34,
        34,
    ]
    heat = run(ensemble, steps=25).part.temperature
    assert isinstance(heat, torch.Tensor)
    assert torch.equal(heat, torch.zeros(4, dtype=torch.float64))


def test_cycles_resume_bit_for_bit(tmp_path: Path) -> None:
    ensemble = CyclicalPhases(period=20, explore=0.7)
    whole = run(ensemble, steps=60)
    run(ensemble, steps=37, store=tmp_path / "run").close()
    again = resume(tmp_path / "run", TARGET, progress=False).extend(23, progress=False)
    assert np.array_equal(again.posterior["q"], whole.posterior["q"])
    again.close()


@pytest.mark.parametrize("explore", [0.0, 0.01, 1.0])
def test_phases_without_a_step_are_refused(explore: float) -> None:
    with pytest.raises(ParameterError, match="CyclicalPhases"):
        CyclicalPhases(period=20, explore=explore)


def test_collapse_puts_all_walkers_where_u_is_lowest() -> None:
    start = torch.tensor([[1.2, 0.4], [0.3, 0.2], [2.1, 0.9], [0.4, 1.6]], dtype=torch.float64)
    at = {"start": start, "step_size": 1e-9, "temperature": 0.0}
    found = run(Collapse(every=5, until=10), steps=5, **at)
    assert torch.allclose(found.part.q[0], start[1].expand(4, -1), atol=1e-6)


def test_collapse_stops() -> None:
    ensemble = Collapse(every=5, until=12)
    assert [ensemble.next_update(step) for step in (0, 5)] == [5, 10]
    assert ensemble.next_update(10) > 10**9
