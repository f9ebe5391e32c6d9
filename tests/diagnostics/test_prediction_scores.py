"""Further scores of predictions, by hand, by literal twins, and the coverage of their errors.

Coverage of a stated error is measured over draws; it fails by chance once in 10⁵ tries (4.5
standard errors of a share).
"""

import itertools
import math

import numpy as np
import pytest
import torch

from thermograd._errors import NonFiniteError, ParameterError
from thermograd.diagnostics.prediction import (
    accuracy,
    auroc,
    brier_score,
    disagreement,
    disagreement_with_people,
    expected_calibration_error,
    predictive_moments,
    reliability,
)
from thermograd.noise import seeded

TABLE = torch.tensor([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3]], dtype=torch.float64)


def covers(hits: list[float], nominal: float, scores: int) -> None:
    assert abs(np.mean(hits) - nominal) < 4.5 * math.sqrt(nominal * (1 - nominal) / scores)


def test_brier_and_accuracy_by_hand() -> None:
    labels = torch.tensor([0, 2, 0])
    found = brier_score(TABLE, labels)
    each = [0.09 + 0.04 + 0.01, 0.09 + 0.09 + 0.36, 0.64 + 0.25 + 0.09]
    assert found.value == pytest.approx(sum(each) / 3)
    assert found.uncertainty == pytest.approx(float(np.std(each, ddof=1)) / math.sqrt(3))
    right = accuracy(TABLE, labels)
    assert right.value == pytest.approx(2 / 3)
    assert right.uncertainty == pytest.approx(math.sqrt(2 / 27))


def test_reliability_agrees_with_the_calibration_error() -> None:
    logits = 2.3 * torch.randn(60, 3, generator=seeded(3), dtype=torch.float64)
    labels = torch.randint(3, (60,), generator=seeded(4))
    probabilities = torch.softmax(logits, 1)
    found = reliability(probabilities, labels, num_bins=7)
    expected = expected_calibration_error(probabilities, labels, num_bins=7)
    assert found.calibration_error.value == pytest.approx(expected)
    assert found.counts.sum() == 60
    top, chosen = probabilities.max(1)
    for number, low in enumerate(found.edges[:-1]):
        inside = (top > low) & (top <= found.edges[number + 1])
        assert found.counts[number] == int(inside.sum())
        if inside.any():
            share = float((chosen == labels)[inside].double().mean())
            assert found.accuracy.value[number] == pytest.approx(share)
            assert found.confidence[number] == pytest.approx(float(top[inside].mean()))
        else:
            assert math.isnan(found.confidence[number])


def test_predictive_moments_split_the_variance() -> None:
    outputs = 0.7 * torch.randn(40, 5, generator=seeded(2), dtype=torch.float64) + 2.3
    noise = torch.full((5,), 0.3, dtype=torch.float64)
    found = predictive_moments(outputs, noise_variance=noise, effective_draws=20)
    np.testing.assert_allclose(found.mean.value, outputs.mean(0))
    np.testing.assert_allclose(found.spread.value, outputs.var(0))
    np.testing.assert_allclose(found.variance, outputs.var(0) + 0.3)
    np.testing.assert_allclose(found.mean.uncertainty, (outputs.var(0) / 20).sqrt())


@pytest.mark.statistical
def test_errors_of_the_moments_cover() -> None:
    outputs = 0.7 * torch.randn(60, 2000, generator=seeded(2), dtype=torch.float64) + 2.3
    found = predictive_moments(outputs)
    off = np.abs(found.mean.value - 2.3) / found.mean.uncertainty
    covers(list(off < 1.001), 0.679, 2000)  # Student's t, 59 degrees of freedom
    covers(list(off < 2.001), 0.95, 2000)
    spread = np.abs(found.spread.value - 0.49) / found.spread.uncertainty
    assert 0.64 < (spread < 1).mean() < 0.74


def literal_auroc(inside: list[float], outside: list[float]) -> float:
    pairs = [(b > a) + 0.5 * (b == a) for a, b in itertools.product(inside, outside)]
    return sum(pairs) / len(pairs)


def test_auroc_is_its_definition_with_ties() -> None:
    inside = torch.tensor([0.1, 0.4, 0.4, 0.7])
    outside = torch.tensor([0.4, 0.9, 0.2])
    found = auroc(inside, outside)
    assert found.value == pytest.approx(literal_auroc(inside.tolist(), outside.tolist()))
    assert auroc(outside, inside).value == pytest.approx(1 - found.value)
    assert auroc(torch.zeros(5), torch.zeros(4)).value == 0.5
    assert auroc(torch.zeros(5), torch.full((4,), 0.3)).value == 1.0


@pytest.mark.statistical
def test_error_of_the_auroc_covers() -> None:
    exact = 0.5 * (1 + math.erf(0.8 / 2))  # N(0.8, 1) against N(0, 1)
    hits: list[list[float]] = [[], []]
    for run in range(600):
        draws = torch.randn(2, 80, generator=seeded(run), dtype=torch.float64)
        found = auroc(draws[0], draws[1, :70] + 0.8)
        off = abs(found.value - exact) / found.uncertainty
        hits[0].append(off < 1)
        hits[1].append(off < 1.96)
    covers(hits[0], 0.683, 600)
    covers(hits[1], 0.95, 600)


def test_disagreement_is_counted_pair_by_pair() -> None:
    classes = torch.randint(3, (4, 50), generator=seeded(5))
    classes[:, :20] = classes[0, :20]
    found = disagreement(classes)
    pairs = [(classes[a] != classes[b]).double() for a, b in itertools.combinations(range(4), 2)]
    assert found.pair.value == pytest.approx(float(torch.stack(pairs).mean()))
    split = (classes != classes[0]).any(0).double().mean()
    assert found.any.value == pytest.approx(float(split))
    most = [max(np.bincount(column.numpy())) / 4 for column in classes.T]
    np.testing.assert_allclose(found.certainty, most)


def test_types_of_disagreement_with_people() -> None:
    networks = torch.tensor([[0, 1, 2, 2], [0, 1, 1, 2]])
    people = torch.tensor([[0, 1, 1, 0], [0, 2, 1, 1], [0, 2, 1, 1]])
    found = disagreement_with_people(networks, people)
    # input 0: both agree; 1: people disagree only; 2: networks disagree only; 3: people only
    assert (found.type_a.value, found.type_b.value, found.type_c.value) == (0.25, 0.25, 0.5)
    # with the tables of the source: any − A + C is the share on which people disagree
    any_ = found.networks.any.value - found.type_a.value + found.type_c.value
    assert any_ == pytest.approx(found.people.any.value)
    np.testing.assert_allclose(found.people.certainty, [1, 2 / 3, 1, 2 / 3])


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="2 members"):
        disagreement(torch.zeros(1, 5, dtype=torch.long))
    with pytest.raises(ParameterError, match="as many inputs"):
        disagreement_with_people(torch.zeros(2, 5).long(), torch.zeros(2, 4).long())
    with pytest.raises(ParameterError, match="2 scores"):
        auroc(torch.zeros(1), torch.zeros(4))
    with pytest.raises(NonFiniteError, match="NaN"):
        auroc(torch.zeros(3), torch.full((3,), math.nan))
    with pytest.raises(ParameterError, match="S ≥ 2"):
        predictive_moments(torch.zeros(1, 3))
    with pytest.raises(NonFiniteError):
        predictive_moments(torch.full((3, 2), math.inf))
    with pytest.raises(ParameterError, match="sum to 1"):
        brier_score(2 * TABLE, torch.tensor([0, 1, 2]))
