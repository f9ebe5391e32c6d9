"""Scores of predictions, against sums by hand and a literal twin."""

import math

import pytest
import torch
from torch import Tensor

from thermograd._errors import ParameterError
from thermograd.diagnostics.prediction import (
    expected_calibration_error,
    negative_log_likelihood,
    predictive_probabilities,
)
from thermograd.noise import seeded


def literal_ece(probabilities: Tensor, labels: Tensor, num_bins: int) -> float:
    """Equation (3) of the source, bin by bin and example by example."""
    total = 0.0
    for number in range(num_bins):
        inside: list[tuple[float, bool]] = []
        for row, label in zip(probabilities.tolist(), labels.tolist(), strict=True):
            confidence = max(row)
            if number / num_bins < confidence <= (number + 1) / num_bins:
                inside.append((confidence, row.index(confidence) == label))
        if inside:
            accuracy = sum(right for _, right in inside) / len(inside)
            mean = sum(confidence for confidence, _ in inside) / len(inside)
            total += len(inside) / len(labels) * abs(accuracy - mean)
    return total


def table(num: int = 40, classes: int = 3) -> tuple[Tensor, Tensor]:
    logits = 2.3 * torch.randn(num, classes, generator=seeded(3), dtype=torch.float64)
    labels = torch.randint(classes, (num,), generator=seeded(4))
    return torch.softmax(logits, 1), labels


def test_nll_by_hand() -> None:
    probabilities = torch.tensor([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]], dtype=torch.float64)
    found = negative_log_likelihood(probabilities, torch.tensor([1, 2]))
    assert found == pytest.approx(-(math.log(0.2) + math.log(0.4)) / 2, rel=1e-14)
    assert negative_log_likelihood(torch.tensor([[1.0, 0.0]]), torch.tensor([1])) == math.inf


@pytest.mark.parametrize("num_bins", [1, 4, 15])
def test_ece_is_its_definition(num_bins: int) -> None:
    probabilities, labels = table()
    found = expected_calibration_error(probabilities, labels, num_bins=num_bins)
    assert found == pytest.approx(literal_ece(probabilities, labels, num_bins), rel=1e-12)
    assert found > 0.01


def test_ece_of_an_edge_belongs_to_the_bin_below() -> None:
    probabilities = torch.tensor([[0.5, 0.5], [0.625, 0.375], [0.75, 0.25], [1.0, 0.0]])
    labels = torch.tensor([0, 1, 0, 0])
    # bins of a quarter: (¼, ½] has 0.5 and is right; (½, ¾] has 0.625 wrong and 0.75 right
    expected = (0.5 + abs(1 - 1.375) + 0.0) / 4
    found = expected_calibration_error(probabilities, labels, num_bins=4)
    assert found == pytest.approx(expected, rel=1e-14)


def test_predictive_averages_probabilities_and_not_logits() -> None:
    logits = torch.tensor([[[math.log(3.0), 0.0]], [[0.0, math.log(4.0)]]], dtype=torch.float64)
    found = predictive_probabilities(logits)
    expected = torch.tensor([[(3 / 4 + 1 / 5) / 2, (1 / 4 + 4 / 5) / 2]], dtype=torch.float64)
    assert torch.allclose(found, expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("score", [negative_log_likelihood, expected_calibration_error])
def test_bad_input_is_refused(score: object) -> None:
    assert callable(score)
    good, labels = torch.tensor([[0.3, 0.7], [0.6, 0.4]]), torch.tensor([0, 1])
    for probabilities, targets, said in (
        (good + 0.1, labels, "sum to 1"),
        (good[0], labels, r"\(N, C\)"),
        (good, labels.double(), "integers"),
        (good, labels[:1], "integers of shape"),
        (good, labels + 1, "from 0 to 1"),
    ):
        with pytest.raises(ParameterError, match=said):
            score(probabilities, targets)
    with pytest.raises(ParameterError, match="num_bins"):
        expected_calibration_error(good, labels, num_bins=0)
    with pytest.raises(ParameterError, match="logits"):
        predictive_probabilities(good)
