"""A network under the sampler: compiled as eager, resumed in another process's place."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from thermograd.noise import seeded
from thermograd.potentials import Network, priors
from thermograd.sampling import resume
from thermograd.sampling.fingerprint import fingerprint

from .test_run import draws, sampled

pytestmark = pytest.mark.usefixtures("global_rng")


def network(scale: Any = "sum", width: int = 5) -> Network:
    """Return a classifier of 60 points in the plane; its first weights differ at every call."""
    generator = seeded(3)
    x = torch.randn(60, 2, generator=generator, dtype=torch.float64)
    y = (x.prod(1, keepdim=True) > 0).double()
    model = torch.nn.Sequential(
        torch.nn.Linear(2, width), torch.nn.Tanh(), torch.nn.Linear(width, 1)
    ).double()
    return Network(model, "binary", (x, y), prior=priors.Gaussian(1.3), batch_size=7, scale=scale)


def start() -> list[torch.Tensor]:
    shapes = [(3, 5, 2), (3, 5), (3, 1, 5), (3, 1)]
    return [0.3 * torch.randn(s, generator=seeded(9), dtype=torch.float64) for s in shapes]


def test_compiled_run_of_a_network_follows_the_eager_one() -> None:
    runs = [sampled(network(), start=start(), step_size=0.02, compile=way) for way in (False, True)]
    assert [run.settings.compile for run in runs] == [False, True]
    for name in network().names:
        eager, compiled = (draws(run, name) for run in runs)
        np.testing.assert_allclose(compiled, eager, rtol=1e-9, atol=1e-12)


def test_network_resumes_from_other_first_weights(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"start": start(), "step_size": 0.02, "observables": ["accuracy"]}
    sampled(network(), store=tmp_path / "run", steps=30, **settings).close()
    longer = resume(tmp_path / "run", network(), progress=False).extend(30, progress=False)
    whole = sampled(network(), **settings)
    for name in network().names:
        assert np.array_equal(draws(longer, name), draws(whole, name))
    assert np.array_equal(longer.sample_stats["accuracy"], whole.sample_stats["accuracy"])
    longer.close()


def test_fingerprint_of_a_network_is_that_of_its_posterior() -> None:
    assert fingerprint(network()) == fingerprint(network())
    others = [network("mean"), network(width=6)]
    assert fingerprint(network()) not in {fingerprint(other) for other in others}


def test_convention_of_a_network_is_said() -> None:
    run = sampled(network("mean"), start=start(), step_size=0.02, steps=2)
    (event,) = [event for event in run.events if event["kind"] == "convention"]
    assert event["relative_temperature"] == pytest.approx(0.7 * 60)
