"""Replicas that are not alike are refused, by all of them with the same message."""

from typing import Any

import pytest
import torch

from thermograd import _errors as errors
from thermograd.replicas import Handshake, local

A, B = torch.zeros(3, 2), torch.zeros(2, 3)


def greet(*entries: dict[str, Any]) -> list[Handshake]:
    made: list[Handshake] = []
    for rank, (end, entry) in enumerate(zip(local(len(entries)), entries, strict=True)):
        settings: dict[str, Any] = {"params": [A], "terms": "γ = 1.7", "data_order": rank, **entry}
        made.append(Handshake(end, **settings))
    return made


def test_alike_replicas_learn_each_others_steps() -> None:
    for greeting in greet({"step": 40}, {"step": -1}, {"step": 35}):
        assert greeting.check() == [40, -1, 35]


@pytest.mark.parametrize(
    ("entry", "kind", "said"),
    [
        ({"params": [B]}, errors.TensorError, "replicas 0 and 2 have parameters of other shapes"),
        ({"params": [A, A]}, errors.TensorError, "not one architecture"),
        ({"params": [A.double()]}, errors.TensorError, "0 and 2 have parameters of other dtypes"),
        ({"data_order": 1}, errors.ParameterError, "1 and 2 take their data in the same order"),
        ({"terms": "γ = 1.6"}, errors.ParameterError, "0 and 2 were given other settings"),
    ],
)
def test_other_replicas_are_refused(
    entry: dict[str, Any], kind: type[Exception], said: str
) -> None:
    messages: set[str] = set()
    for greeting in greet({}, {}, entry):
        with pytest.raises(kind, match=said) as caught:
            greeting.check()
        messages.add(str(caught.value))
    assert len(messages) == 1
