"""Scores of predictions, of one network or of the average over walkers."""

from .accuracy import accuracy
from .brier import brier_score
from .disagreement import (
    Disagreement,
    HumanDisagreement,
    disagreement,
    disagreement_with_people,
)
from .ece import expected_calibration_error
from .moments import PredictiveMoments, predictive_moments
from .nll import negative_log_likelihood
from .ood import auroc
from .predictive import predictive_probabilities
from .reliability import Reliability, reliability

__all__ = [
    "Disagreement",
    "HumanDisagreement",
    "PredictiveMoments",
    "Reliability",
    "accuracy",
    "auroc",
    "brier_score",
    "disagreement",
    "disagreement_with_people",
    "expected_calibration_error",
    "negative_log_likelihood",
    "predictive_moments",
    "predictive_probabilities",
    "reliability",
]
