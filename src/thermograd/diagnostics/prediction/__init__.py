"""Scores of predictions, of one network or of the average over walkers."""

from .ece import expected_calibration_error
from .nll import negative_log_likelihood
from .predictive import predictive_probabilities

__all__ = ["expected_calibration_error", "negative_log_likelihood", "predictive_probabilities"]
