"""Likelihoods against their formulas, example by example."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from thermograd.potentials.likelihoods import (
    Bernoulli,
    Categorical,
    Classifier,
    Gaussian,
    GaussianWithSd,
    Likelihood,
    SquaredError,
    by_name,
)

from ..reference import network as literal
from .networks import labels, numbers

CASES: list[tuple[Likelihood, Callable[[Tensor, Tensor], Tensor], Tensor, Tensor]] = [
    (Categorical(), literal.cross_entropy, numbers(7, 3), labels(3)),
    (Bernoulli(), literal.binary, numbers(7, 2), (numbers(7, 2) > 0).double()),
    (Bernoulli(), literal.binary, numbers(7), labels(2).double()),
    (Gaussian(0.4), literal.gaussian(0.4), numbers(7, 2), -0.3 * numbers(7, 2)),
    (GaussianWithSd(), literal.gaussian_with_sd, numbers(7, 4), -0.3 * numbers(7, 2)),
    (SquaredError(), literal.mse, numbers(7, 2), -0.3 * numbers(7, 2)),
    (SquaredError(), literal.mse, numbers(7), -0.3 * numbers(7)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {tuple(case[2].shape)}")
def test_losses_are_those_of_each_example(
    case: tuple[Likelihood, Callable[[Tensor, Tensor], Tensor], Tensor, Tensor],
) -> None:
    likelihood, formula, prediction, target = case
    prepared = likelihood.prepare(prediction, target)
    expected = torch.stack([formula(f, y) for f, y in zip(prediction, target, strict=True)])
    got = likelihood.losses(prediction, prepared)
    torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12)


def test_cross_entropy_sums_over_positions() -> None:
    prediction, target = numbers(7, 3, 2), labels(3, 14).reshape(7, 2)
    losses = Categorical().losses(prediction, Categorical().prepare(prediction, target))
    expected = torch.stack(
        [
            torch.stack([literal.cross_entropy(f[:, k], y[k]) for k in range(2)]).sum()
            for f, y in zip(prediction, target, strict=True)
        ]
    )
    torch.testing.assert_close(losses, expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("likelihood", [Bernoulli(), Gaussian(0.4), SquaredError()], ids=str)
def test_flat_targets_meet_a_column_of_predictions(likelihood: Likelihood) -> None:
    prediction, target = numbers(7, 1), labels(2).double()
    prepared = likelihood.prepare(prediction, target)
    assert prepared.shape == (7, 1)
    column = likelihood.losses(prediction, prepared)
    torch.testing.assert_close(column, likelihood.losses(prediction[:, 0], target))


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint8])
def test_labels_of_any_integer_type_are_classes(dtype: torch.dtype) -> None:
    assert Categorical().prepare(numbers(7, 3), labels(3).to(dtype)).dtype is torch.long


def test_binary_labels_may_be_booleans() -> None:
    prepared = Bernoulli().prepare(numbers(7), labels(2) == 1)
    torch.testing.assert_close(prepared, labels(2).double())


def test_right_answers_are_the_most_likely_classes() -> None:
    logits = torch.tensor([[0.2, 1.7, -3.0], [2.5, 0.1, 0.3]])
    assert Categorical().correct(logits, torch.tensor([1, 2])).tolist() == [True, False]
    logit = torch.tensor([0.3, -2.0, 4.0])
    assert Bernoulli().correct(logit, torch.tensor([1.0, 0.0, 0.0])).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cross_entropy", Categorical()),
        ("binary", Bernoulli()),
        ("bce_with_logits", Bernoulli()),
        ("mse", SquaredError()),
        ("gaussian_with_sd", GaussianWithSd()),
    ],
)
def test_names(name: str, expected: Likelihood) -> None:
    assert by_name(name) == expected
    assert isinstance(expected, Classifier) == (
        name in {"cross_entropy", "binary", "bce_with_logits"}
    )
