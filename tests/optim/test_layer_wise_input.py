"""What layer-wise optimizers refuse, and how they say it."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from thermograd.optim import (
    LOL,
    AdaptiveLangevin,
    AdLaLa,
    Partitioned,
)
from thermograd.partitions import Partition, by_kind, by_layer, by_pattern, last

from .perceptron import ADAPTIVE, H, Problem
from .problems import built, steps

Refused = tuple[Callable[[Any], Any], str]
LOOSE: dict[str, Any] = {"coupling": "loose"}
REFUSED: dict[str, Refused] = {
    "force time": (
        lambda m: Partitioned(m, last(m), {"rest": "BAOAB", "last": "ABOBA"}, H),
        r"the part 'last' of Partitioned \(ABOBA\) needs the force 0.5 of its step after where it "
        r"begins, and the part 'rest' of Partitioned \(BAOAB\) 0: one gradient",
    ),
    "no method": (
        lambda m: Partitioned(m, by_kind(m), {"weights": "sgd"}, H),
        "the part 'biases' has no method",
    ),
    "no part": (
        lambda m: Partitioned(m, last(m), {"rest": "sgd", "last": "sgd", "norms": "sgd"}, H),
        "no part is called 'norms'; the parts are 'rest', 'last'",
    ),
    "no thermostat": (
        lambda m: Partitioned(m, last(m), {"rest": "BAEFEAB", "last": "sgd"}, H),
        "'feedback' of the part 'rest' of Partitioned must be a number: its method has a therm",
    ),
    "missing label": (
        lambda m: AdLaLa(m, partition=Partition({"0.weight": "a", "0.bias": "b"})),
        "the partition has no label for '2.weight'",
    ),
    "three parts": (lambda m: AdLaLa(m, partition=by_layer(m)), "AdLaLa has two parts; the par"),
    "one layer": (lambda m: AdLaLa(m[0]), "leaves the part 'rest' empty"),
    "partition of groups": (
        lambda m: LOL([{"params": m.parameters()}], H, partition=last(m)),
        "LOL takes a partition of a model, not of groups",
    ),
    "bare parameters": (
        lambda m: AdLaLa(m.parameters()),
        "AdLaLa needs a model, or groups: parameters alone",
    ),
    "negative temperature": (
        lambda m: AdLaLa(m, temperature=-0.1),
        "'temperature' of the part 'rest' of AdLaLa must be a finite number, 0 or above",
    ),
    "no feedback": (lambda m: AdLaLa(m, feedback=0.0), "'feedback' of Thermostat must be"),
    "coupling": (lambda m: AdLaLa(m, **LOOSE), "one of 'plain', 'scaled'; got 'loose'"),
    "unit": (lambda m: AdLaLa(m, thermostat_per="weight"), "one of 'layer', 'part', 'tensor'"),
    "layers without names": (
        lambda m: AdaptiveLangevin(m.parameters(), H, thermostat_per="layer", **ADAPTIVE),
        "AdaptiveLangevin cannot tell the layers of parameters without names",
    ),
    "empty part": (
        lambda m: AdLaLa([{"params": []}, {"params": m.parameters()}]),
        "'params' of group 0 of AdLaLa must be at least one parameter",
    ),
    "mixed precision": (
        lambda m: AdaptiveLangevin([*m.parameters(), nn.Parameter(torch.ones(2))], H, **ADAPTIVE),
        "has one thermostat for momenta on 2 kinds of device or dtype",
    ),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_bad_input(case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        make(Problem().model)


def test_tied_weights_across_parts_are_refused() -> None:
    model = built(lambda: nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3)))
    model[1].weight = model[0].weight
    with pytest.raises(ValueError, match=r"0.weight and 1.weight are one tied tensor"):
        AdLaLa(model)


def test_no_driving_noise_above_zero_temperature_warns() -> None:
    with pytest.warns(UserWarning, match="not ergodic"):
        AdLaLa(Problem().model, driving_noise=0.0)


def test_no_driving_noise_at_zero_temperature_is_fine() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AdLaLa(Problem().model, driving_noise=0.0, temperature=0.0)


def test_resuming_with_another_partition_is_refused() -> None:
    problem = Problem()
    labels = {"0.*": "rest", "2.*": "last", "4.*": "last"}
    opt = AdLaLa(problem.model, partition=by_pattern(problem.model, labels))
    steps(opt, problem.loss, 2)
    with pytest.raises(ValueError, match="another partition"):
        AdLaLa(Problem().model).load_state_dict(opt.state_dict())
