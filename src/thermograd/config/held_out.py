"""Scores of a run's predictions on the rows that its configuration holds out.

    p(y | x) = (1/S) Σ_s p(y | x, q_s) over S draws

nll is −(1/N) Σ_n ln p(y_n | x_n) in nats, rmse the error of the mean prediction, in the units that
the network was trained on; accuracy and ece are of the most likely class.
"""

import math
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..diagnostics.prediction import expected_calibration_error, predictive_probabilities
from ..potentials import Network
from ..potentials.likelihoods import (
    Bernoulli,
    Categorical,
    GaussianWithSd,
    Likelihood,
    SquaredError,
)
from ..sampling.folder import read_run_toml
from ..sampling.launch import draws_of
from .launch import configuration_of
from .target import build_loss, build_target, load_data

__all__ = ["held_out_scores"]

MOST_DRAWS = 200


def held_out_scores(folder: str | Path) -> dict[str, float]:
    """Return nll, and accuracy and ece or rmse, of the draws of a run on held-out rows.

    At most 200 draws are used, evenly spaced; walkers that hold a NaN are left out. Empty where
    the run is not of a network in a configuration, no rows are held out, not all parameters were
    recorded or nothing was yet.

    Args:
        folder: of the run.
    """
    if "model" not in read_run_toml(Path(folder)):
        return {}
    config, source = configuration_of(folder)
    data, target = load_data(config, source), build_target(config, source)
    posterior = draws_of(folder)
    names = target.names if isinstance(target, Network) else ()
    if not len(data.x_test) or not isinstance(target, Network) or not set(names) <= set(posterior):
        return {}
    q = _thinned([posterior[name] for name in names])
    if not len(q[0]):
        return {}
    prediction = target.predict(q, data.x_test)
    likelihood = build_loss(config, source)
    return scores(likelihood, prediction, likelihood.prepare(prediction[0], data.y_test))


def scores(likelihood: Likelihood, prediction: Tensor, target: Tensor) -> dict[str, float]:
    """Return the scores of predictions (S, N, ...) by a likelihood."""
    found: dict[str, float] = {}
    if not isinstance(likelihood, SquaredError):
        losses = torch.stack([likelihood.losses(own, target) for own in prediction]).double()
        found["nll"] = float((math.log(len(losses)) - torch.logsumexp(-losses, 0)).mean())
    if isinstance(likelihood, Categorical) and prediction.dim() == 3:
        return found | _of_classes(predictive_probabilities(prediction), target)
    if isinstance(likelihood, Bernoulli) and prediction[0, 0].numel() == 1:
        second = torch.sigmoid(prediction.flatten(1)).mean(0)
        return found | _of_classes(torch.stack([1 - second, second], 1), target.flatten().long())
    if not isinstance(likelihood, (Bernoulli, Categorical)):
        means = prediction.chunk(2, -1)[0] if isinstance(likelihood, GaussianWithSd) else prediction
        error = means.double().mean(0) - target
        found["rmse"] = float(error.square().mean().sqrt())
    return found


def _of_classes(probabilities: Tensor, labels: Tensor) -> dict[str, float]:
    right = probabilities.argmax(1) == labels
    ece = expected_calibration_error(probabilities, labels)
    return {"accuracy": float(right.double().mean()), "ece": ece}


def _thinned(arrays: list[NDArray[np.generic]]) -> list[Tensor]:
    """Return arrays (chain, draw, ...) as (S, ...), of chains that are finite."""
    num_chains, num_draws = arrays[0].shape[:2]
    each = min(num_draws, max(1, MOST_DRAWS // num_chains))
    picks = np.linspace(0, num_draws - 1, each).round().astype(int) if num_draws else []
    thin = [array[:, picks].reshape(num_chains, each, -1) for array in arrays]
    is_whole = np.all([np.isfinite(array).all((1, 2)) for array in thin], axis=0)
    return [
        torch.from_numpy(array[is_whole][:, picks].reshape(-1, *array.shape[2:]))
        for array in arrays
    ]
