"""The cost model is the source's ratio, and counts what a cycle does."""

from typing import Any

import pytest

from thermograd import _errors as errors
from thermograd.multirate import time_ratio


@pytest.mark.parametrize(("k", "layers", "fast"), [(5, 34, 1), (3, 34, 7), (10, 7, 7)])
def test_backward_alone_is_equation_5_6(k: int, layers: int, fast: int) -> None:
    printed = k * layers / (layers + (k - 1) * fast)
    assert time_ratio(k, fast=fast / layers) == pytest.approx(1 / printed, rel=1e-14)


def test_seconds_of_a_cycle() -> None:
    """As many forward passes as calls, one whole backward pass k − 1 short ones, k updates."""
    k, forward, whole, short, update = 4, 1.3, 2.9, 0.4, 0.2
    cycle = k * (forward + update) + whole + (k - 1) * short
    plain = k * (forward + whole + update)
    share = whole / (forward + whole + update)
    found = time_ratio(k, fast=short / whole, backward=share)
    assert found == pytest.approx(cycle / plain, rel=1e-14)


def test_one_rate_saves_nothing_and_many_at_most_the_backward_pass() -> None:
    assert time_ratio(1, fast=0.3, backward=0.7) == 1.0
    assert time_ratio(10**9, fast=0.0, backward=0.7) == pytest.approx(0.3, abs=1e-8)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), "0.5"])
def test_shares_outside_their_range(bad: Any) -> None:
    with pytest.raises(errors.ParameterError, match="'fast' of time_ratio"):
        time_ratio(5, fast=bad)
    with pytest.raises(errors.ParameterError, match="'backward' of time_ratio"):
        time_ratio(5, fast=0.1, backward=bad)
    with pytest.raises(errors.ParameterError, match="'k' of time_ratio"):
        time_ratio(0, fast=0.1)
