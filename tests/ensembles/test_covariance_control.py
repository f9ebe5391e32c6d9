"""Covariance control: what it measures, what it does to the momenta, and the law it keeps."""

import math

import pytest
import torch
from torch import Tensor

import thermograd
from thermograd._errors import ParameterError
from thermograd.ensembles import CovarianceControl, Ensemble, Moment
from thermograd.integrators import get
from thermograd.noise import Tape, seeded
from thermograd.potentials.base import Evaluator
from thermograd.sampling.engine import make_part
from thermograd.state import Env
from thermograd.testing import assert_mean
from thermograd.thermostat import Thermostat

from ..sampling.targets import Centres

T, M, GAMMA = 0.7, 1.3, 0.8


def target() -> Centres:
    """Return data that are wide in one coordinate and narrow in the other."""
    data = torch.randn(40, 2, generator=seeded(3), dtype=torch.float64)
    return Centres(data * torch.tensor([12.0, 0.3]), stiffness=0.013, size=5)


def test_what_is_measured_is_the_variance_of_the_force() -> None:
    centres = target()
    part = make_part(get("baoab"), centres.start(4000), temperature=T, mass=M)
    ensemble = CovarianceControl()
    ensemble.begin(part)
    generator = seeded(5)
    moment = Moment(
        step=10,
        step_size=0.1,
        is_alive=torch.ones(4000, dtype=torch.bool),
        potential=centres,
        draw_batch=lambda: centres.draw_batch(4000, generator),
        generator=generator,
    )
    ensemble.update(part, moment)
    per_datum = (0.013 * 40) ** 2 * centres.data.var(0, unbiased=False)
    for j in range(2):
        variance = float(per_datum[j]) / 5
        assert_mean(part.coupling["noise_variance"][:, j], variance, resolves=0.15 * variance)


def test_momenta_are_damped_before_and_after_the_step() -> None:
    centres, h = target(), 0.3
    ensemble = CovarianceControl()
    start = [torch.tensor([[0.4, -0.2]], dtype=torch.float64)]
    momenta = torch.tensor([[0.9, 1.7]], dtype=torch.float64)
    variance = torch.tensor([[2.3, 0.4]], dtype=torch.float64)
    factor = torch.exp(-h * h * variance / (4 * M * T))
    xi: Tensor = torch.tensor([[0.6, -0.8]], dtype=torch.float64)

    def after(method: str, p: Tensor, is_damped: bool) -> Tensor:
        used = ensemble.wrap(get(method)) if is_damped else get(method)
        part = make_part(used, start, friction=GAMMA, temperature=T, mass=M)
        ensemble.begin(part)
        part.coupling["noise_variance"].copy_(variance)
        part.p[0].copy_(p)
        used.step(part, h, Env(Tape([[xi]]), Evaluator(centres)))
        return part.p[0]

    expected = after("baoab", momenta * factor, False) * factor
    assert torch.allclose(after("baoab", momenta, True), expected, rtol=1e-13)


def test_methods_without_momenta_are_refused() -> None:
    with pytest.raises(ParameterError, match="momenta"):
        run(CovarianceControl(), 0, method="euler_maruyama", thermostat=None)


def run(ensemble: Ensemble, seed: int, **changes: object) -> thermograd.sampling.Run:
    centres = target()
    given: dict[str, object] = {
        "method": "baefeab",
        "walkers": 64,
        "steps": 20_000,
        "burn_in": 4000,
        "every": 5,
        "seed": seed,
        "temperature": T,
        "step_size": 0.15,
        "mass": M,
        "thermostat": Thermostat(feedback=0.3, driving_noise=1.2, initial_xi=1.0),
        "start": centres.start(64),
        "ensemble": ensemble,
        "compile": False,
        "progress": False,
    }
    return thermograd.sample(centres, **{**given, **changes})  # pyright: ignore


def variances(found: thermograd.sampling.Run) -> Tensor:
    """Return the mean square distance from the centre of the law, per walker and coordinate."""
    q = torch.from_numpy(found.posterior["centre"])
    return (q - target().data.mean(0)).square().mean(1)


@pytest.mark.statistical
def test_both_coordinates_have_the_temperature_asked_for(seed: int) -> None:
    found = variances(run(CovarianceControl(every=5), seed))
    law = T / (0.013 * 40)
    for j in range(2):
        assert_mean(found[:, j], law, resolves=0.1 * law)


@pytest.mark.statistical
def test_one_thermostat_alone_cannot_cool_one_coordinate(seed: int) -> None:
    found = variances(run(Ensemble(), seed)).mean(0)
    law = T / (0.013 * 40)
    assert float(found[0]) > 1.1 * law
    assert float(found[1]) < 0.9 * law
    assert math.isfinite(float(found.sum()))
