"""An arrangement in the sampler is the optimizer of the same parts."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from thermograd import arrangements, optim
from thermograd.arrangements import Arrangement, LayerWise, PartMethod
from thermograd.partitions import by_kind, by_layer, last
from thermograd.thermostat import Thermostat

from .world import Counted, H, bound, loss, model, to_force

HEAT: dict[str, Any] = {"temperature": 2e-3, "output_temperature": 3e-4}
KINDS = {
    "weights": PartMethod("OBA", friction=0.7, temperature=2e-3, mass=1.7),
    "biases": PartMethod("BAOAB", friction=0.3, temperature=1e-3),
}


def kinds(module: nn.Module, noise: Counted) -> optim.Partitioned:
    methods = {
        label: optim.Method(
            word=part.word,
            friction=part.friction or 0.0,
            temperature=part.temperature or 0.0,
            mass=part.mass or 1.0,
        )
        for label, part in KINDS.items()
    }
    return optim.Partitioned(module, by_kind(module), methods, H, noise=noise)


def with_adam(module: nn.Module, noise: Counted) -> optim.Partitioned:
    methods = {"rest": "adam", "last": optim.Method(word="BAOAB", friction=0.3, temperature=1e-3)}
    return optim.Partitioned(module, last(module), methods, H, noise=noise)


def adaptive(module: nn.Module, noise: Counted) -> optim.Partitioned:
    method = optim.Method(
        word="BAEFEAB", temperature=2e-3, thermostat=Thermostat(0.3, 0.05, "scaled", 0.2)
    )
    parts = by_layer(module)
    return optim.Partitioned(module, parts, dict.fromkeys(parts.parts, method), H, noise=noise)


DOORS: dict[str, tuple[LayerWise, Callable[[nn.Module, Any], torch.optim.Optimizer]]] = {
    "adlala": (
        arrangements.AdLaLa(**HEAT, friction=0.4),
        lambda m, n: optim.AdLaLa(m, H, **HEAT, friction=0.4, noise=n),
    ),
    "adlala per layer": (
        arrangements.AdLaLa(thermostat_per="tensor"),
        lambda m, n: optim.AdLaLa(m, H, thermostat_per="tensor", noise=n),
    ),
    "lol": (arrangements.LOL(**HEAT), lambda m, n: optim.LOL(m, H, **HEAT, noise=n)),
    "dhsgd": (arrangements.DHSGD(), lambda m, n: optim.DHSGD(m, H)),
    "dhsgd contractive": (
        arrangements.DHSGD(contractive=True),
        lambda m, n: optim.DHSGD(m, H, contractive=True),
    ),
    "adaptive": (
        arrangements.AdaptiveLangevinInLayers(
            temperature=2e-3, feedback=0.3, driving_noise=0.05, initial_xi=0.2
        ),
        adaptive,
    ),
    "kinds": (Arrangement(by_kind(model()), KINDS), kinds),
    "adam": (
        Arrangement(
            last(model()),
            {"rest": "adam", "last": PartMethod("BAOAB", friction=0.3, temperature=1e-3)},
        ),
        with_adam,
    ),
}


@pytest.mark.parametrize("name", DOORS)
def test_the_sampler_stands_where_the_optimizer_does(name: str) -> None:
    method, make = DOORS[name]
    module, num = model(), 9
    opt = make(module, Counted(3))
    for _ in range(num):
        opt.zero_grad()
        loss(module).backward()
        opt.step()
    found = to_force(bound(method), num, 3)
    for ours, theirs in zip(found, module.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs.detach(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["AdLaLa", "LOL", "DHSGD"])
def test_both_doors_have_the_same_defaults(name: str) -> None:
    settings = getattr(arrangements, name)()
    defaults = getattr(optim, name).__init__.__kwdefaults__
    shared = set(defaults) & set(settings.__dataclass_fields__)
    assert shared >= {"partition"}
    assert {key: defaults[key] for key in shared} == {key: getattr(settings, key) for key in shared}


def test_lol_is_the_limit_of_langevin_in_layers() -> None:
    lol = to_force(bound(arrangements.LOL(**HEAT, friction=0.4)), 9, 3)
    near = arrangements.LangevinInLayers(**HEAT, friction=0.4, output_friction=1e6)
    for ours, theirs in zip(to_force(bound(near), 9, 3), lol, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-13, atol=1e-13)
