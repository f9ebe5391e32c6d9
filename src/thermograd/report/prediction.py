"""How well the draws of a run predict rows that were held out, averaged and one alone."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from .._errors import ThermogradError
from ..config import load_data
from ..diagnostics import prediction
from ..diagnostics.prediction import Reliability
from ..potentials import Network
from ..potentials.likelihoods import Bernoulli, Categorical, Gaussian, GaussianWithSd
from .record import RunRecord
from .subject import Absent, Subject, draws_as_params, network_of, rebuild

__all__ = ["Prediction", "Score", "prediction_of"]

MOST_DRAWS = 100
HELD_OUT = (
    "no rows are held out: --set data.num_test=... keeps some of generated or read data, and "
    "fetched sets have their own"
)


@dataclass(frozen=True, slots=True)
class Score:
    """A score of predictions for held-out rows.

    Attributes:
        name: of the score.
        averaged: of the predictions averaged over draws.
        error: its standard error over rows; NaN if it is not known.
        single: of one draw alone, averaged over the draws.
    """

    name: str
    averaged: float
    error: float
    single: float


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """Scores of a run.

    Attributes:
        scores: one for each kind.
        reliability: of the averaged predictions, for a classifier.
        num_rows: held out.
        num_draws: averaged.
    """

    scores: tuple[Score, ...]
    reliability: Reliability | None
    num_rows: int
    num_draws: int


def prediction_of(
    record: RunRecord, subject: Subject | Absent | None = None
) -> Prediction | Absent:
    """Return how well a run predicts, or why nobody can say.

    Args:
        record: the run.
        subject: its target, if it has been built again already.
    """
    found = rebuild(record) if subject is None else subject
    network = network_of(record, found)
    if isinstance(found, Absent):
        return found
    if isinstance(network, Absent):
        return network
    try:
        data = load_data(found.config, found.source)
    except (ThermogradError, OSError) as error:
        return Absent(f"the data cannot be read: {error}")
    if not len(data.x_test):
        return Absent(HELD_OUT)
    draws = draws_as_params(record, network, MOST_DRAWS)
    outputs = network.predict(draws, data.x_test)  # (S, N, ...)
    if outputs.dim() != 3:
        return Absent(f"outputs of shape {tuple(outputs.shape[1:])} have no scores here")
    if isinstance(network.likelihood, (Categorical, Bernoulli)):
        scores, diagram = _classified(network.likelihood, outputs, data.y_test)
    else:
        scores, diagram = _regressed(network, outputs, data.y_test), None
    return Prediction(scores, diagram, len(data.x_test), len(outputs))


def _classified(
    likelihood: Categorical | Bernoulli, outputs: Tensor, labels: Tensor
) -> tuple[tuple[Score, ...], Reliability]:
    logits, labels = outputs.double(), labels.reshape(-1).long()
    if isinstance(likelihood, Bernoulli):
        logits = torch.cat([torch.zeros_like(logits), logits], dim=2)
    averaged = prediction.predictive_probabilities(logits)
    each = torch.softmax(logits, -1)
    right, brier = prediction.accuracy(averaged, labels), prediction.brier_score(averaged, labels)
    diagram = prediction.reliability(averaged, labels)
    num = len(each)
    nll = prediction.negative_log_likelihood

    def ece(p: Tensor) -> float:
        return prediction.expected_calibration_error(p, labels)

    scores = (
        Score(
            "accuracy",
            right.value,
            right.uncertainty,
            sum(prediction.accuracy(p, labels).value for p in each) / num,
        ),
        Score(
            "negative log likelihood",
            nll(averaged, labels),
            _error(-averaged.gather(1, labels.unsqueeze(1)).log()),
            sum(nll(p, labels) for p in each) / num,
        ),
        Score(
            "Brier score",
            brier.value,
            brier.uncertainty,
            sum(prediction.brier_score(p, labels).value for p in each) / num,
        ),
        Score("calibration error", ece(averaged), math.nan, sum(map(ece, each)) / num),
    )
    return scores, diagram


def _regressed(network: Network, outputs: Tensor, targets: Tensor) -> tuple[Score, ...]:
    likelihood = network.likelihood
    outputs = outputs.double()
    means = outputs.chunk(2, dim=2)[0] if isinstance(likelihood, GaussianWithSd) else outputs
    y = targets.double().reshape(means.shape[1:])
    squares, alone = (means.mean(0) - y).square(), (means - y).square()
    rmse = math.sqrt(float(squares.mean()))
    error = _error(squares.mean(1)) / (2 * rmse) if rmse > 0 else math.nan
    scores = [
        Score("root mean squared error", rmse, error, float(alone.mean((1, 2)).sqrt().mean()))
    ]
    if isinstance(likelihood, (Gaussian, GaussianWithSd)):
        losses = torch.stack([likelihood.losses(own, y) for own in outputs])  # (S, N)
        mixed = math.log(len(losses)) - torch.logsumexp(-losses, 0)
        nll = Score(
            "negative log likelihood", float(mixed.mean()), _error(mixed), float(losses.mean())
        )
        scores.append(nll)
    return tuple(scores)


def _error(values: Tensor) -> float:
    """Return the standard error of the mean over rows."""
    return float(values.std()) / math.sqrt(len(values)) if len(values) > 1 else math.nan
