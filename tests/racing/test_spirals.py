"""The problem of the demo, and the settings published for it."""

import math

import pytest
import torch

from thermograd.noise import seeded
from thermograd.racing import equal_budget, published, spiral


def test_problem_is_the_published_one() -> None:
    made = spiral(seed=3)
    network = made.network()
    assert network.num_params == 20 * 2 + 20 + 20 + 1
    assert (network.num_data, network.batch_size, network.scale) == (500, 25, "mean")
    x, y = made.train
    assert x.norm(dim=1).max() < 2.1
    assert y.bincount().tolist() == [250, 250]
    assert not torch.isin(made.test[0][:, 0], x[:, 0]).any()


def test_points_depend_on_the_seed_alone() -> None:
    assert torch.equal(spiral(seed=3).train[0], spiral(seed=3, hidden=4).train[0])
    assert not torch.equal(spiral(seed=3).train[0], spiral(seed=4).train[0])


def test_starts_are_small_normals_or_the_models_own() -> None:
    made = spiral()
    q = torch.cat([t.flatten() for t in made.positions(made.network(), 400, seeded(1))])
    assert float(q.std()) == pytest.approx(0.01, rel=0.05)
    made = spiral(start="reset")
    weight = made.positions(made.network(), 50, seeded(1))[0]
    assert weight.abs().max() <= 1 / math.sqrt(2)
    assert float(weight.std()) == pytest.approx(1 / math.sqrt(6), rel=0.05)


def test_a_start_may_be_a_function() -> None:
    made = spiral(start=lambda num, generator: spiral(start=0.3).positions(network, num, generator))
    network = made.network()
    q = made.positions(network, 5, seeded(1))
    assert [tuple(t.shape) for t in q] == [(5, 20, 2), (5, 20), (5, 1, 20), (5, 1)]


def test_noise_of_sgld_has_the_published_amplitude() -> None:
    settings = published()["SGLD"].chosen().arguments
    h, heat = settings.get("step_size"), settings.get("temperature")
    assert h is not None
    assert heat is not None
    assert math.sqrt(2 * heat * h) == pytest.approx(0.1 * math.sqrt(h))


def test_all_published_entries_run() -> None:
    race = equal_budget(published(), spiral(hidden=4), 2, gradients=3, compile=False)
    assert list(race.standings) == ["SGD", "SGLD", "Adam", "LOL", "AdLaLa"]
