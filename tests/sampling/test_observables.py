"""Observables against closed forms, and the summary against ArviZ."""

import math

import numpy as np
import pytest
import torch
from arviz_stats.base.array import array_stats
from numpy.typing import NDArray
from torch import Tensor

from thermograd.integrators import resolve
from thermograd.noise import seeded
from thermograd.sampling import Observable, View
from thermograd.sampling.engine import make_part
from thermograd.sampling.observables import built_in, prediction, projection
from thermograd.sampling.summary import effective_sample_size, split_rhat, summarise

from .targets import TwoParts, centres
from .test_run import draws, sampled

A, B, MASS = 1.7, 0.4, 1.3


def view_of_two_parts() -> View:
    """Return two walkers of U = ½(1.7 |x|² + 0.4 |y|²), x in ℝ²ˣ², y in ℝ³."""
    generator = seeded(4)
    shapes = [(2, 2, 2), (2, 3)]
    q = [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
    part = make_part(resolve("baoab"), q, mass=MASS, temperature=0.7, friction=0.8)
    for p in part.p:
        p.normal_(generator=generator)
    target = TwoParts(A, B)
    part.energy = target.force(part.q, out=part.force.tensors)
    return View(part, target, target.names, 7, 3)


def squares(tensors: list[Tensor]) -> list[Tensor]:
    return [tensor.square().flatten(1).sum(1) for tensor in tensors]


def test_built_in_observables_are_their_formulas() -> None:
    view = view_of_two_parts()
    (x, y), (px, py) = squares(view.part.q), squares(view.part.p)
    expected = {
        "potential": (A * x + B * y) / 2,
        "kinetic_temperature": (px + py) / (7 * MASS),
        "virial": (A * x + B * y) / 7,
        "gradient_norm": (A**2 * x + B**2 * y).sqrt(),
        "configurational_temperature": (A**2 * x + B**2 * y) / (4 * A + 3 * B),
    }
    for name, value in expected.items():
        torch.testing.assert_close(built_in(name).of(view), value, rtol=1e-8, atol=1e-12, msg=name)
    assert bool(built_in("acceptance").of(view).isnan().all())


def test_virial_of_a_target_that_does_not_confine_is_not_applicable() -> None:
    target = centres()
    target.is_confining = False
    run = sampled(target, observables=["virial"])
    line = run.summary()["virial"]
    assert math.isnan(line.mean)
    assert line.verdict == "not applicable"


def test_projection_and_prediction_are_linear_maps() -> None:
    directions = torch.tensor([[0.6, 0.8], [2.0, -3.0]], dtype=torch.float64)
    inputs = torch.tensor([[0.5, 1.5], [0.2, 0.1], [3.0, 4.0]], dtype=torch.float64)
    run = sampled(
        centres(), observables=[projection(directions), prediction(inputs), "accuracy", first]
    )
    q = draws(run, "centre")
    np.testing.assert_allclose(draws(run, "projection"), q @ directions.numpy().T)
    np.testing.assert_allclose(draws(run, "prediction"), q @ inputs.numpy().T)
    np.testing.assert_array_equal(draws(run, "first"), q[:, :, 0])
    assert np.array_equal(run.sample_stats["accuracy"], (q > 0).mean(axis=2))


def first(view: View) -> Tensor:
    return view.q["centre"][:, 0]


def test_observable_has_a_name_and_a_group() -> None:
    twice = Observable("twice", lambda view: 2 * first(view), "sample_stats")
    run = sampled(centres(), observables=[twice])
    q = draws(run, "centre")
    np.testing.assert_array_equal(run.sample_stats["twice"], 2 * q[:, :, 0])


def test_virial_uses_all_the_data_where_the_force_is_stale() -> None:
    target = centres()
    run = sampled(target, "sgld", observables=["virial"])
    q = draws(run, "centre")
    gap = q - target.data.mean(0).numpy()
    exact = target.stiffness * target.num_data * (q * gap).sum(axis=2) / 2
    np.testing.assert_allclose(run.sample_stats["virial"].astype(float), exact, rtol=1e-9)


def autoregressive(
    num_chains: int, num: int, rho: float, shift: float = 0.0
) -> NDArray[np.float64]:
    noise = torch.randn(num_chains, num, generator=seeded(6), dtype=torch.float64).numpy()
    for t in range(1, num):
        noise[:, t] += rho * noise[:, t - 1]
    noise[0] += shift
    return noise


@pytest.mark.parametrize(
    ("chains", "num", "rho", "shift"),
    [(4, 300, 0.7, 0.0), (3, 201, -0.4, 0.0), (2, 100, 0.9, 3.0), (1, 500, 0.3, 0.0)],
)
def test_ess_and_rhat_are_those_of_arviz(chains: int, num: int, rho: float, shift: float) -> None:
    values = autoregressive(chains, num, rho, shift)
    ess = np.asarray(array_stats.ess(values, chain_axis=0, draw_axis=1, method="mean"))
    assert effective_sample_size(values) == pytest.approx(ess.item(), rel=1e-9)
    if chains > 1:  # ArviZ gives none for a single chain
        rhat = np.asarray(array_stats.rhat(values, chain_axis=0, draw_axis=1, method="split"))
        assert split_rhat(values) == pytest.approx(rhat.item(), rel=1e-9)


def test_summary_leaves_lost_walkers_out() -> None:
    values = autoregressive(4, 300, 0.5)
    broken = values.copy()
    broken[2, 250:] = math.nan
    line = summarise({"x": broken}, {}, 0.7)["x"]
    kept = np.delete(values, 2, axis=0)
    assert line.mean == pytest.approx(kept.mean())
    assert line.ess == effective_sample_size(kept)
    assert line.mcse == pytest.approx(kept.std(ddof=1) / math.sqrt(line.ess))


def test_summary_judges_temperatures() -> None:
    values = 0.7 + 0.02 * autoregressive(4, 300, 0.5)
    right = summarise({}, {"kinetic_temperature": values}, 0.7)["kinetic_temperature"]
    wrong = summarise({}, {"kinetic_temperature": values}, 0.8)["kinetic_temperature"]
    assert right.verdict == "as expected"
    assert wrong.verdict.startswith("off by -")


def test_summary_prints_a_line_for_each_number_and_counts_the_rest() -> None:
    wide = autoregressive(4 * 13, 50, 0.2).reshape(4, 13, 50).swapaxes(1, 2)
    text = str(summarise({"w": wide}, {}, 0.7))
    assert "w[9]" in text
    assert "w[10]" not in text
    assert "(3 further entries are not shown)" in text


@pytest.mark.parametrize("num", [0, 1, 3])
def test_too_few_draws_have_no_error(num: int) -> None:
    line = summarise({"x": np.zeros((2, num))}, {}, 0.7)["x"]
    assert math.isnan(line.ess)
    assert math.isnan(line.mcse)
