"""Runs of methods that carry a thermostat variable: compiled, saved and gone on with."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import thermograd
from thermograd.potentials import Quartic
from thermograd.sampling import Run
from thermograd.thermostat import Thermostat

TARGET = Quartic(1.3, 0.4, 5)
THERMOSTAT = Thermostat(0.4, 0.9, "scaled", 0.3)


def sampled(method: str, **changes: Any) -> Run:
    settings: dict[str, Any] = {
        "walkers": 3,
        "steps": 40,
        "seed": 5,
        "temperature": 0.7,
        "step_size": 0.1,
        "mass": 1.3,
        "thermostat": THERMOSTAT,
        "start": [q.double() for q in TARGET.start(3)],
        "progress": False,
        "compile": False,
    }
    return thermograd.sample(TARGET, method, **(settings | changes))


def test_compiled_run_follows_the_eager_one() -> None:
    eager, compiled = (sampled("baefeab", compile=way) for way in (False, True))
    assert compiled.settings.compile is True
    for name in ("q", "p"):
        ours, theirs = getattr(compiled.part, name)[0], getattr(eager.part, name)[0]
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(compiled.part.scalars, eager.part.scalars, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("method", ["adaptive_langevin", "sgnht", "BAECDCEAB"])
def test_resumed_run_is_bitwise_the_uninterrupted_one(method: str, tmp_path: Path) -> None:
    whole = sampled(method)
    sampled(method, steps=20, store=tmp_path / "run").close()
    resumed = thermograd.sampling.resume(tmp_path / "run", TARGET).extend(20, progress=False)
    assert resumed.settings.thermostat == THERMOSTAT
    assert torch.equal(resumed.part.scalars["xi"], whole.part.scalars["xi"])
    assert np.array_equal(resumed.posterior["q"], whole.posterior["q"])


def test_each_walker_has_a_variable_of_its_own() -> None:
    xi = sampled("baefeab").part.scalars["xi"]
    assert xi.shape == (3,)
    assert len(set(xi.tolist())) == 3


def test_a_thermostat_is_asked_for() -> None:
    with pytest.raises(ValueError, match="so it needs to know ε and σ"):
        sampled("baefeab", thermostat=None)
