"""Starting points against their formulas."""

import math

import pytest
import torch

from thermograd._errors import NonFiniteError, ParameterError
from thermograd.ensembles import descend
from thermograd.noise import seeded
from thermograd.potentials import Harmonic

from ..sampling.targets import centres

K = (1.7, 0.4)
START = torch.tensor([[1.2, 0.9], [-0.3, 2.2]], dtype=torch.float64)


def test_gradient_descent_is_the_power_of_its_matrix() -> None:
    (q,) = descend(Harmonic(K), START, method="gd", steps=7, learning_rate=0.3)
    factor = torch.tensor([(1 - 0.3 * k) ** 7 for k in K], dtype=torch.float64)
    assert torch.allclose(q, START * factor, rtol=1e-13)


def barzilai_borwein(x: list[float], steps: int, rate: float) -> list[float]:
    """Return x after the steps, written out for one walker on the harmonic target."""
    old_x, old_g = list[float](), list[float]()
    for _ in range(steps):
        g = [k * y for k, y in zip(K, x, strict=True)]
        size = rate
        if old_x:
            dx = [a - b for a, b in zip(x, old_x, strict=True)]
            dg = [a - b for a, b in zip(g, old_g, strict=True)]
            below = sum(a * a for a in dg)
            found = sum(a * b for a, b in zip(dx, dg, strict=True)) / below if below else math.nan
            size = min(max(found, 1e-10), 1e10) if math.isfinite(found) else rate
        old_x, old_g = x, g
        x = [y - size * slope for y, slope in zip(x, g, strict=True)]
    return x


@pytest.mark.parametrize("steps", [1, 2, 5, 12])
def test_barzilai_borwein_takes_its_own_steps_for_every_walker(steps: int) -> None:
    (q,) = descend(Harmonic(K), START, method="bbgd", steps=steps, learning_rate=0.05)
    for walker in range(2):
        expected = barzilai_borwein(START[walker].tolist(), steps, 0.05)
        assert q[walker].tolist() == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_barzilai_borwein_stays_at_the_minimum() -> None:
    """Where nothing moves, 0/0 falls back to the given rate."""
    (q,) = descend(Harmonic(K), 0 * START, method="bbgd", steps=9, learning_rate=0.05)
    assert torch.equal(q, 0 * START)


def test_adam_is_torchs() -> None:
    (q,) = descend(Harmonic(K), START, method="adam", steps=6, learning_rate=0.07)
    x = START.clone()
    optimizer = torch.optim.Adam([x], lr=0.07)
    for _ in range(6):
        x.grad = x * torch.tensor(K, dtype=torch.float64)
        optimizer.step()
    assert torch.allclose(q, x, rtol=1e-13)


def test_the_learning_rate_is_that_of_a_mean_loss() -> None:
    target = centres(num_data=40)
    (q,) = descend(target, START, method="gd", steps=1, learning_rate=0.3)
    mean = target.data.mean(0)
    assert torch.allclose(q, START + 0.3 * target.stiffness * (mean - START), rtol=1e-12)


def test_sgd_goes_near_the_minimum() -> None:
    target = centres(num_data=40)
    (q,) = descend(target, START, method="sgd", steps=400, learning_rate=0.3, generator=seeded(2))
    assert float((q - target.data.mean(0)).abs().max()) < 0.5
    assert not torch.equal(q[0], q[1])


def test_the_start_is_left_alone() -> None:
    before = START.clone()
    descend(Harmonic(K), START, method="gd", steps=3, learning_rate=0.3)
    assert torch.equal(START, before)


@pytest.mark.parametrize("target", [Harmonic(K), centres()])
def test_sgd_without_batches_is_refused(target: Harmonic) -> None:
    with pytest.raises(ParameterError, match="'gd' without a target of batches"):
        descend(target, START, method="sgd", steps=3, learning_rate=0.3)


def test_a_descent_that_diverges_says_so() -> None:
    with pytest.raises(NonFiniteError, match="lower the learning rate"):
        descend(Harmonic(K), START, method="gd", steps=3000, learning_rate=9.0)
