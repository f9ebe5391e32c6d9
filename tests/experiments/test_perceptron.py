"""The exact means that the perceptron's experiment compares with, over all patterns there are."""

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import pytest
import torch

FOLDER = Path(__file__).parents[2] / "experiments" / "chaudhari_ch3_binary_perceptron"


@pytest.fixture(scope="module")
def perceptron() -> ModuleType:
    spec = importlib.util.spec_from_file_location("enumeration", FOLDER / "perceptron.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("d", "num"), [(3, 2), (5, 1)])
def test_mean_numbers_of_solutions_and_pairs_are_exact(
    perceptron: ModuleType, d: int, num: int
) -> None:
    weights = perceptron.all_weights(d)
    signs = (1.0, -1.0)
    cases = list(itertools.product(itertools.product(signs, repeat=d * num), [(1.0,) * num]))
    cases += [(flat, (-1.0,) * num) for flat, _ in cases]
    totals = torch.zeros(d + 1, dtype=torch.float64)
    for flat, labels in cases:
        xi = torch.tensor(flat).view(num, d)
        found = perceptron.solves(weights, xi, torch.tensor(labels))
        for k in range(d + 1):
            totals[k] += float(perceptron.local_entropy(weights, found, k).sum())
    laws = [perceptron.expected_pairs(d, num, k) for k in range(d + 1)]
    assert (totals / len(cases)).tolist() == pytest.approx(laws, rel=1e-12)
    assert laws[0] == 2.0 ** (d - num)


def test_weights_are_all_different_and_a_teacher_solves_its_labels(perceptron: ModuleType) -> None:
    weights = perceptron.all_weights(5)
    assert len({tuple(row) for row in weights.tolist()}) == 32
    assert bool(perceptron.solves(weights, weights[:7], (weights[:7] @ weights[11]).sign())[11])
