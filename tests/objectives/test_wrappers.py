"""Methods whose force is changed: what they refuse, and which methods they take."""

from typing import Any

import pytest
import torch
from torch import nn

from thermograd import _errors as errors
from thermograd.integrators import CutIntegrator, get
from thermograd.noise import Gaussian, seeded
from thermograd.objectives import InField, Tethered
from thermograd.optim import AdaptiveLangevin, EntropySGD, Parle
from thermograd.potentials import Harmonic
from thermograd.replicas import local
from thermograd.sampling.engine import simulate

from ..optim.problems import network, steps

ADAPTIVE: dict[str, Any] = {
    "word": "baefeab",
    "feedback": 0.3,
    "driving_noise": 0.05,
    "temperature": 2e-3,
}


def baoab() -> CutIntegrator:
    found = get("baoab")
    assert isinstance(found, CutIntegrator)
    return found


def test_sampler_is_told_to_take_the_changed_potential() -> None:
    well = Harmonic((1.3,))
    with pytest.raises(errors.EvaluationError, match="Tethered is for optimizers"):
        simulate(
            well,
            Tethered(baoab(), 0.7),
            well.start(2),
            steps=1,
            step_size=0.1,
            noise=Gaussian(seeded(0)),
        )


@pytest.mark.parametrize("scope", [0.0, -0.3, float("nan"), "0.7", True])
def test_scope_out_of_range(scope: Any) -> None:
    with pytest.raises(errors.ParameterError, match="'scope' of Tethered must be above 0"):
        Tethered(baoab(), scope)


def test_other_settings_out_of_range() -> None:
    with pytest.raises(errors.ParameterError, match="'averaging' of Tethered"):
        Tethered(baoab(), 0.7, averaging=1.0)
    with pytest.raises(errors.ParameterError, match="'size' of InField"):
        InField(baoab(), size=-0.1)


def test_parle_over_adaptive_langevin_in_the_hidden_layer_is_a_configuration() -> None:
    """A thermostat for the first layer, Langevin for the second, on a tether, in two replicas."""
    nets = [network(seed) for seed in (1, 2)]
    opts: list[Parle] = []
    for rank, (end, (model, _, _)) in enumerate(zip(local(2), nets, strict=True)):
        layers = list(model.children())
        groups: list[dict[str, Any]] = [
            {"params": list(layers[0].parameters()), **ADAPTIVE},
            {"params": list(layers[2].parameters()), "word": "baoab", "friction": 0.7},
        ]
        opts.append(
            Parle(
                groups,
                0.5,
                replica=end,
                inner_lr=0.05,
                scope=1.7,
                coupling=0.9,
                inner_steps=4,
                generator=seeded(rank),
            )
        )
    for _ in range(9):
        for opt, (model, x, y) in zip(opts, nets, strict=True):
            steps(opt, lambda m=model, a=x, b=y: ((m(a) - b) ** 2).mean(), 1)
    for opt, (model, _, _) in zip(opts, nets, strict=True):
        assert all(torch.isfinite(q).all() for q in model.parameters())
        assert opt.state_dict()["scalars"][0]["xi"].item() != 0.1


def test_tethered_thermostat_moves_as_the_method_itself_without_a_tether() -> None:
    q, r = (nn.Parameter(torch.full((4,), 0.8, dtype=torch.float64)) for _ in range(2))
    opt = EntropySGD(
        [{"params": [q], **ADAPTIVE}],
        inner_lr=0.1,
        scope=float("inf"),
        inner_steps=50,
        generator=seeded(3),
    )
    plain = AdaptiveLangevin(
        [{"params": [r], **ADAPTIVE}],
        0.1,
        temperature=2e-3,
        feedback=0.3,
        driving_noise=0.05,
        generator=seeded(3),
    )
    for _ in range(20):
        steps(opt, lambda: (0.6 * q**2).sum(), 1)
        steps(plain, lambda: (0.6 * r**2).sum(), 1)
    assert torch.equal(q.detach(), r.detach())
