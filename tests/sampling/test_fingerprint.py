"""Fingerprints tell targets apart and give the same one to equal targets."""

import functools
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from thermograd.potentials import Quartic, Sum, from_function
from thermograd.sampling.fingerprint import fingerprint
from thermograd.state import Params

from .targets import centres


def power(exponent: int, factor: float) -> Callable[[Params], Tensor]:
    def energy(q: Params) -> Tensor:
        return factor * q[0].pow(exponent).sum(1)

    return energy


def other(q: Params) -> Tensor:
    return 0.7 * q[0].abs().pow(4).sum(1)


class Described:
    def __init__(self, kept: float, hidden: float) -> None:
        self.kept, self.hidden = kept, hidden

    def fingerprint_facts(self) -> object:
        return [self.kept]


DIFFERENT: tuple[Callable[[], object], ...] = (
    lambda: Quartic(1.3, 0.4, 5),
    lambda: Quartic(1.3, 0.4, 6),
    lambda: Quartic(1.3, 0.5, 5),
    lambda: centres(seed=3),
    lambda: centres(seed=4),
    lambda: from_function(power(4, 0.7)),
    lambda: from_function(power(6, 0.7)),
    lambda: from_function(power(4, 0.8)),
    lambda: from_function(other),
    lambda: Sum({"a": Quartic(1.3, 0.4, 5), "b": Quartic(1.3, 0.4, 5)}),
    lambda: Sum({"a": Quartic(1.3, 0.4, 5), "b": Quartic(1.3, 0.5, 5)}),
    lambda: {"array": np.arange(3), "type": torch.float32},
    lambda: {"array": np.arange(4), "type": torch.float32},
    lambda: functools.partial(power, 4),
    lambda: Described(0.3, 0.4),
)


def test_different_targets_have_different_fingerprints() -> None:
    assert len({fingerprint(make()) for make in DIFFERENT}) == len(DIFFERENT)


@pytest.mark.parametrize("make", DIFFERENT)
def test_equal_targets_have_the_same_fingerprint(make: Callable[[], object]) -> None:
    assert len({fingerprint(make()) for _ in range(5)}) == 1


def test_target_may_say_what_counts() -> None:
    assert fingerprint(Described(0.3, 0.4)) == fingerprint(Described(0.3, 0.5))


@pytest.mark.usefixtures("global_rng")
def test_modules_are_read_to_their_parameters() -> None:
    module = torch.nn.Linear(2, 3)
    first = fingerprint(module)
    with torch.no_grad():
        module.bias.add_(0.3)
    assert fingerprint(module) != first
