"""Scores on held-out rows, against their definitions."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from thermograd.config import from_text, held_out_scores, start_run
from thermograd.config.held_out import scores
from thermograd.potentials import likelihoods

TEXT = """
[run]
walkers = 3
steps = 20
every = 4
temperature = 0.7
step_size = 0.02
compile = false
[model]
name = "mlp"
options = { sizes = [2, 3, 2] }
init = "jitter"
spread = 0.3
[data]
toy = "moons"
options = { num_points = 50 }
num_test = 11
[loss]
name = "cross_entropy"
"""


def test_classes_are_scored_by_the_average_of_the_probabilities() -> None:
    logits = torch.tensor([[[0.0, 2.0], [1.0, 0.0]], [[1.0, 0.0], [3.0, 0.0]]]).double()
    found = scores(likelihoods.Categorical(), logits, torch.tensor([1, 1]))
    p = np.exp(logits.numpy()) / np.exp(logits.numpy()).sum(-1, keepdims=True)
    mean = p.mean(0)
    assert found["nll"] == pytest.approx(-np.log(mean[:, 1]).mean())
    assert found["accuracy"] == 0.5
    assert found["ece"] == pytest.approx((1 - mean[0, 1] + mean[1, 0]) / 2)


def test_one_logit_is_the_same_as_two() -> None:
    logit = torch.linspace(-2.0, 3.1, 12, dtype=torch.float64).reshape(3, 4, 1)
    labels = torch.tensor([0, 1, 1, 0])
    two = torch.cat([torch.zeros_like(logit), logit], 2)
    one = scores(likelihoods.Bernoulli(), logit, labels.double().unsqueeze(1))
    assert one == pytest.approx(scores(likelihoods.Categorical(), two, labels))


def test_regression_is_scored_by_the_mixture_of_the_draws() -> None:
    prediction = torch.tensor([[[0.3], [2.0]], [[0.9], [1.0]]]).double()
    target = torch.tensor([[0.5], [1.2]]).double()
    found = scores(likelihoods.Gaussian(0.6), prediction, target)
    density = torch.exp(torch.distributions.Normal(prediction, 0.6).log_prob(target)).mean(0)
    assert found["nll"] == pytest.approx(-float(density.log().mean()))
    assert found["rmse"] == pytest.approx(math.sqrt((0.1**2 + 0.3**2) / 2))
    assert set(scores(likelihoods.SquaredError(), prediction, target)) == {"rmse"}


def test_a_learned_noise_is_not_part_of_the_mean() -> None:
    prediction = torch.tensor([[[0.3, -0.5], [2.0, 0.2]], [[0.9, 0.1], [1.0, 0.4]]]).double()
    target = torch.tensor([[0.5], [1.2]]).double()
    found = scores(likelihoods.GaussianWithSd(), prediction, target)
    law = torch.distributions.Normal(prediction[..., :1], prediction[..., 1:].exp())
    density = law.log_prob(target).exp().mean(0)
    assert found["nll"] == pytest.approx(-float(density.log().mean()))
    assert found["rmse"] == pytest.approx(math.sqrt((0.1**2 + 0.3**2) / 2))


def test_a_run_is_scored_from_its_folder(tmp_path: Path) -> None:
    run = start_run(*from_text(TEXT), tmp_path / "run", progress=False)
    run.close()
    found = held_out_scores(tmp_path / "run")
    assert set(found) == {"nll", "accuracy", "ece"}
    assert 0.2 < found["nll"] < 3
    assert 11 * found["accuracy"] == pytest.approx(round(11 * found["accuracy"]))


@pytest.mark.parametrize(
    "changes", [{"data.num_test": "0"}, {"run.params": '["*.bias"]'}], ids=["no rows", "no weights"]
)
def test_what_cannot_be_scored_has_no_scores(changes: dict[str, str], tmp_path: Path) -> None:
    run = start_run(*from_text(TEXT, changes=changes), tmp_path / "run", progress=False)
    run.close()
    assert held_out_scores(tmp_path / "run") == {}
