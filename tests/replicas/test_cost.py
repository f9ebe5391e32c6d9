"""The cost model: its formulas at small numbers, and against the literal schedules of messages."""

import math

import pytest

from thermograd import _errors as errors
from thermograd.replicas.cost import (
    Link,
    Pattern,
    exchange_seconds,
    hierarchical_seconds,
    share,
)

LINK = Link(latency=0.3, per_byte=0.02)
S = 70.0
ONE = 0.3 + 0.02 * S


def by_rounds(pattern: Pattern, n: int) -> float:
    """Add up the rounds of messages of an exchange, one by one."""
    seconds = 0.0
    if pattern == "tree":
        have = 1
        while have < n:  # partners double in each round of the reduction, and of the broadcast
            seconds += 2 * ONE
            have *= 2
    elif pattern == "ring":
        for _ in range(n - 1):  # reduce-scatter, then all-gather, of pieces
            seconds += 2 * (0.3 + 0.02 * S / n)
    else:
        for _ in range(n - 1):
            seconds += ONE
    return seconds


@pytest.mark.parametrize("pattern", ["tree", "ring", "gather"])
@pytest.mark.parametrize("n", [1, 2, 3, 16, 1024])
def test_exchange_is_the_sum_of_its_rounds(pattern: Pattern, n: int) -> None:
    assert math.isclose(exchange_seconds(LINK, n, S, pattern), by_rounds(pattern, n))


def test_hierarchy_takes_its_levels_as_often_as_they_exchange() -> None:
    found = hierarchical_seconds(LINK, [4, 8], S, every=[1, 5])
    assert math.isclose(found, 3 * ONE + 7 * ONE / 5)
    assert found < exchange_seconds(LINK, 32, S, "gather")


def test_share_of_time() -> None:
    assert math.isclose(share(0.7, 0.2, 25), 0.7 / 5.7)


def test_bad_numbers_are_named() -> None:
    with pytest.raises(errors.ParameterError, match="'latency' of Link"):
        Link(-0.1, 0.2)
    with pytest.raises(errors.ParameterError, match="'replicas' of exchange_seconds"):
        exchange_seconds(LINK, 0, S, "tree")
