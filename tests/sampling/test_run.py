"""Runs: what is recorded when, the same numbers however a run is cut, and refused input."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

import thermograd
from thermograd._errors import (
    EvaluationError,
    NonFiniteError,
    OutOfMemoryError,
    ParameterError,
    UnknownNameError,
)
from thermograd.noise import Gaussian
from thermograd.potentials import Batch, Potential, Quartic
from thermograd.sampling import Run, resources
from thermograd.sampling.engine import simulate
from thermograd.sampling.streams import stream
from thermograd.schedules import Polynomial
from thermograd.state import Env, Params, Part

from .targets import TwoParts, centres

SETTINGS: dict[str, Any] = {
    "walkers": 3,
    "steps": 60,
    "seed": 5,
    "temperature": 0.7,
    "step_size": 0.1,
    "friction": 0.8,
    "mass": 1.3,
    "progress": False,
    "compile": False,
}
TARGET = Quartic(1.3, 0.4, 5)


def sampled(target: Potential = TARGET, method: Any = "baoab", **changes: Any) -> Run:
    return thermograd.sample(target, method, **(SETTINGS | changes))


def draws(run: Run, name: str) -> NDArray[np.float64]:
    return run.posterior[name].astype(np.float64)


def test_sample_takes_the_steps_of_simulate() -> None:
    run = sampled(steps=40)
    done = simulate(
        TARGET,
        "baoab",
        TARGET.start(3),
        steps=40,
        step_size=0.1,
        noise=Gaussian(stream(5, "noise")),
        friction=0.8,
        temperature=0.7,
        mass=1.3,
    )
    assert torch.equal(run.part.q[0], done.part.q[0])
    assert run.world.evaluate.counts == done.gradients
    assert np.array_equal(run.posterior["q"][:, -1], done.part.q[0].numpy())


def test_every_and_burn_in_choose_the_draws() -> None:
    every = sampled().posterior["q"]
    some = sampled(every=7, burn_in=10).posterior["q"]
    assert every.shape == (3, 60, 5)
    assert np.array_equal(some, every[:, 16::7])


@pytest.mark.parametrize("every", [1, 7])
def test_two_halves_are_one_run(every: int) -> None:
    whole = sampled(centres(), steps=60, every=every)
    halves = sampled(centres(), steps=30, every=every).extend(30, progress=False)
    assert np.array_equal(whole.posterior["centre"], halves.posterior["centre"])
    assert torch.equal(whole.part.p[0], halves.part.p[0])


def test_compiled_run_follows_the_eager_one() -> None:
    start = [q.double() for q in TARGET.start(3)]
    runs = [sampled(start=start, compile=way) for way in (False, True)]
    assert [run.settings.compile for run in runs] == [False, True]
    eager, compiled = (draws(run, "q") for run in runs)
    np.testing.assert_allclose(compiled, eager, rtol=1e-12, atol=1e-12)


def test_walkers_do_not_feel_each_other() -> None:
    start = centres().start(3)[0]
    moved = start.clone()
    moved[0] += 0.9
    one, two = (sampled(centres(), start=q).posterior["centre"] for q in (start, moved))
    assert np.array_equal(one[1:], two[1:])
    assert not np.array_equal(one[0], two[0])


def test_seed_decides_the_run() -> None:
    first, again, other = (sampled(seed=seed).posterior["q"] for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_observables_change_no_walker() -> None:
    plain = sampled().posterior["q"]
    watched = sampled(observables=["virial", "configurational_temperature"]).posterior["q"]
    assert np.array_equal(plain, watched)


def test_a_function_is_a_method() -> None:
    def descend(part: Part, h: float, env: Env) -> None:
        part.q[0].add_(part.force.tensors[0], alpha=h)

    run = sampled(TwoQuadratic(), descend, steps=3, start=torch.full((3, 2), 0.9))
    assert float(run.part.q[0][0, 0]) == pytest.approx(0.9 * (1 - 0.1 * 1.7) ** 3)
    assert run.settings.method == "<descend>"


class TwoQuadratic:
    """U = ½ · 1.7 |q|²."""

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        out[0].copy_(-1.7 * q[0])
        return 0.85 * q[0].square().sum(1)


def test_schedule_is_followed() -> None:
    run = sampled(step_size=Polynomial(0.1, 3.0, 0.6), method="gradient_descent", steps=4)
    q = TARGET.start(3)[0]
    for step in range(4):
        h = 0.1 * (3.0 + step) ** -0.6
        q = q - h / 1.3 * (1.3 * q**3 + 0.4 * q)
    torch.testing.assert_close(run.part.q[0], q)


def test_several_tensors_are_recorded_by_name_and_pattern() -> None:
    start = [torch.full((3, 2, 2), 0.4), torch.full((3, 2), 0.3)]
    run = sampled(TwoParts(), start=start, params=["*.bias"])
    assert set(run.posterior) == {"layer.bias"}
    assert run.posterior["layer.bias"].shape == (3, 60, 2)
    with pytest.raises(UnknownNameError, match=r"layer\.bias"):
        sampled(TwoParts(), start=start, params=["layer.bais"])


class Cliff:
    """No force, and no energy beyond 3."""

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        out[0].zero_()
        return torch.where(q[0] > 3.0, math.inf, 0.0).sum(1)


def test_lost_walker_stops_alone() -> None:
    start = torch.tensor([[1.93], [2.93], [0.2]], dtype=torch.float64)
    run = sampled(Cliff(), _push, start=start, step_size=0.05, steps=40)
    first, second = [event for event in run.events if event["kind"] == "diverged"]
    assert run.is_alive.tolist() == [False, False, True]
    assert (first["walker"], second["walker"]) == (1, 0)
    assert (first["at"], second["at"]) == (3, 23)  # evaluated at 2.93, 2.98, 3.03
    assert first["norm"] == pytest.approx(2.98)  # looked at after the first step, then every 64
    assert "step size" in str(first["hint"])
    q = draws(run, "q")
    np.testing.assert_allclose(q[2, :, 0], 0.2 + 0.05 * np.arange(1, 41))
    assert np.isfinite(q[1, :2]).all()
    assert np.isnan(q[1, 2:]).all()
    assert np.isfinite(q[0, :22]).all()


def _push(part: Part, h: float, env: Env) -> None:
    part.q[0].add_(h)


def test_all_walkers_lost_is_an_error_with_a_hint() -> None:
    with pytest.raises(NonFiniteError, match=r"all 3 walkers diverged by step \d+.*allowed 1\.17"):
        sampled(step_size=5.0, steps=200)


def test_events_say_the_step_size_is_too_large() -> None:
    run = sampled(TwoQuadratic(), step_size=2.6, steps=1, start=torch.full((3, 2), 0.9), mass=1.3)
    (event,) = [event for event in run.events if event["kind"] == "curvature"]
    assert event["curvature"] == pytest.approx(1.7 / 1.3, rel=1e-3)
    assert event["limit"] == pytest.approx(2 / math.sqrt(1.7 / 1.3), rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"walkers": 0}, "the 'walkers' of sample must be an integer above 0; got 0"),
        ({"steps": 0}, "'steps'"),
        ({"every": 0}, "'every'"),
        ({"burn_in": 60}, "'burn_in' of sample must be below the number of steps, 60"),
        ({"seed": -1}, "'seed'"),
        ({"temperature": -0.7}, "'temperature'"),
        ({"step_size": 0.0}, "'step_size'"),
        ({"friction": math.nan}, "'friction'"),
        ({"mass": 0.0}, "'mass'"),
        ({"compile": "yes"}, "'compile'"),
        ({"start": torch.zeros(4, 5)}, "shape"),
        ({"start": torch.zeros(3, 5, dtype=torch.int64)}, "floating point"),
        ({"start": []}, "'start'"),
        ({"target": "a model"}, "'target'"),
        ({"target": TwoParts()}, "does not say where to start"),
        ({"observables": ["virial", "virial"]}, "different names"),
        ({"observables": ["accuracy"]}, "without 'accuracy'"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        sampled(**changes)


def test_unknown_observable_lists_the_known() -> None:
    with pytest.raises(UnknownNameError, match="virial"):
        sampled(observables=["viral"])


def test_start_at_nan_names_the_walker() -> None:
    start = torch.zeros(3, 5)
    start[2, 1] = math.nan
    with pytest.raises(NonFiniteError, match="walker 2 starts at NaN"):
        sampled(start=start)


def test_start_of_infinite_energy_names_the_walker() -> None:
    start = torch.zeros(3, 5)
    start[1] = 1e30
    with pytest.raises(NonFiniteError, match="walker 1 starts where U is NaN or infinite"):
        sampled(start=start)


def test_energy_of_the_wrong_shape_is_refused() -> None:
    class Scalar:
        def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
            out[0].copy_(-q[0])
            return q[0].square().sum()

    with pytest.raises(EvaluationError, match=r"one energy per walker, shape \(3,\); got \(\)"):
        sampled(Scalar(), start=torch.zeros(3, 5))


def test_run_that_does_not_fit_says_how_many_walkers_would(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resources, "_free_bytes", lambda device: 300.0)
    with pytest.raises(OutOfMemoryError, match=r"3 walkers × 5 parameters × \d+ buffers.*at most"):
        sampled(every=60)
