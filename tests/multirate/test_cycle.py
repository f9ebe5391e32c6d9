"""A cycle counts gradients as its scales say, and refuses what is no nesting."""

import math
from typing import Any

import pytest

from thermograd import _errors as errors
from thermograd.multirate import Cycle


@pytest.mark.parametrize("factors", [(3,), (2, 5), (1, 4), (3, 2, 2)])
@pytest.mark.parametrize("linear_drift", [True, False])
def test_gradients_of_each_scale_in_a_cycle(factors: tuple[int, ...], linear_drift: bool) -> None:
    labels = "abcd"[: len(factors) + 1]
    cycle = Cycle([[label] for label in labels], factors, linear_drift)
    counts = [sum(label in call for call in cycle.calls) for label in labels]
    assert counts == [math.prod(factors[:scale]) for scale in range(len(labels))]
    assert len(cycle.calls) == (math.prod(factors) if linear_drift else sum(counts))
    assert [cycle.every[label] for label in labels] == [
        math.prod(factors[scale:]) for scale in range(len(labels))
    ]


@pytest.mark.parametrize(
    ("scales", "factors", "message"),
    [
        ([["a"], ["b"]], (0,), "'k' of a multirate cycle must be an integer above 0"),
        ([["a"], ["b"]], (2.0,), "an integer above 0; got 2.0"),
        ([["a"], ["b"]], (2, 2), "one less than there are scales"),
        ([["a"], []], (2,), "of different labels, none empty"),
        ([["a"], ["b", "a"]], (2,), "of different labels, none empty"),
    ],
)
def test_what_is_no_cycle(scales: Any, factors: Any, message: str) -> None:
    with pytest.raises(errors.ParameterError, match=message):
        Cycle(scales, factors)


def test_no_part_at_all() -> None:
    with pytest.raises(errors.ParameterError, match="no part takes every gradient"):
        Cycle.from_every({})
