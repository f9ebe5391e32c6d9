"""The checks notice what is wrong, and keep quiet about what is right."""

import math
from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from thermograd.potentials import Batch, Harmonic
from thermograd.sampling import Run
from thermograd.sampling import run as run_module
from thermograd.state import Env, Params, Part

from .targets import TwoParts, centres
from .test_run import sampled


def event(run: Run, kind: str) -> Mapping[str, object]:
    (found,) = [event for event in run.events if event["kind"] == kind]
    return found


def complaints(run: Run) -> list[str]:
    return [str(event["kind"]) for event in run.events if "hint" in event]


def settled(**changes: Any) -> Run:
    settings = {"walkers": 64, "steps": 300, "step_size": 0.3, "every": 100, **changes}
    return sampled(Harmonic((1.7, 0.4)), **settings)


def test_a_good_run_has_no_complaint() -> None:
    run = settled()
    assert complaints(run) == []
    value, low, high = event(run, "kinetic_temperature")["q"]  # pyright: ignore[reportGeneralTypeIssues]
    assert low < value < high
    assert low < 0.7 < high


def test_kinetic_temperature_out_of_its_band_is_said() -> None:
    def too_hot(part: Part, h: float, env: Env) -> None:
        for p, xi in zip(part.p, env.noise.normal(part.p), strict=True):
            p.copy_(xi * 3)

    run = settled(method=too_hot)
    assert "asked for 0.7" in str(event(run, "kinetic_temperature")["says"])


def test_configurational_temperature_off_is_said() -> None:
    def spread(part: Part, h: float, env: Env) -> None:
        for q, xi in zip(part.q, env.noise.normal(part.q), strict=True):
            q.copy_(xi * 2)

    assert "asked for 0.7" in str(
        event(settled(method=spread), "configurational_temperature")["says"]
    )


def test_convention_is_printed_for_a_target_over_data() -> None:
    run = sampled(centres())
    assert event(run, "convention")["relative_temperature"] == pytest.approx(0.7)
    mean = centres()
    mean.scale = "mean"
    told = event(sampled(mean), "convention")
    assert told["relative_temperature"] == pytest.approx(0.7 * 40)
    assert "T = 0.025 samples the Bayes posterior" in str(told["says"])


def test_frozen_parameters_are_named() -> None:
    start = [torch.full((3, 2, 2), 0.4), torch.full((3, 2), 0.3)]
    run = sampled(TwoParts(b=0.0), start=start)
    assert event(run, "frozen")["names"] == ["layer.bias"]


@pytest.mark.parametrize(("method", "rate"), [("baoab", 0.8), ("sgld", 1.0)])
def test_heating_by_batches_is_its_formula(method: str, rate: float) -> None:
    target = centres()
    run = sampled(target, method, walkers=2000, steps=30, every=30, step_size=0.05)
    # the batch mean of B draws has variance s²/B per coordinate; the force is k N times that
    spread = target.data.var(0, unbiased=False).mean()
    variance = (0.13 * 40) ** 2 * float(spread) / target.size
    expected = 0.05 * variance / (2 * rate * 1.3)
    # 2,000 walkers of 2 coordinates: the estimate has a relative error near 1/√2000
    assert event(run, "heating")["added"] == pytest.approx(expected, rel=0.2)


def test_collapse_is_noticed() -> None:
    def together(part: Part, h: float, env: Env) -> None:
        for q, xi in zip(part.q, env.noise.normal(part.q), strict=True):
            q.copy_(xi[:1].expand_as(q))

    assert "not independent" in str(event(settled(method=together), "collapse")["says"])


@pytest.fixture
def looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs look at themselves after every block of steps."""
    monkeypatch.setattr(run_module, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(run_module, "CHECKPOINT_SHARE", 0)


@pytest.mark.usefixtures("looking")
def test_what_is_wrong_is_said_once_while_it_runs() -> None:
    def too_hot(part: Part, h: float, env: Env) -> None:
        xi = env.noise.normal(part.p)[0]
        part.p[0].copy_(xi * 3)
        part.q[0].copy_(xi[:1].expand_as(xi))

    run = settled(method=too_hot, steps=600)
    for kind in ("kinetic_temperature", "collapse"):
        on_the_way, at_end = (found["step"] for found in run.events if found["kind"] == kind)
        assert int(str(on_the_way)) <= 100
        assert at_end == 600


@pytest.mark.usefixtures("looking")
def test_walkers_that_do_not_move_are_named() -> None:
    def some_rest(part: Part, h: float, env: Env) -> None:
        part.q[0][2:].copy_(env.noise.normal(part.q)[0][2:])

    run = settled(method=some_rest, steps=240)
    named = [found["walkers"] for found in run.events if found["kind"] == "stuck"]
    assert named == [[0, 1], [0, 1]]  # on the way, and at the end


@pytest.mark.usefixtures("looking")
def test_a_good_run_has_no_complaint_on_the_way() -> None:
    run = settled(steps=1000, burn_in=200)
    assert complaints(run) == []
    assert event(run, "kinetic_temperature")["step"] == 1000


def test_curvature_is_the_largest_eigenvalue_over_the_mass() -> None:
    run = settled()
    assert run.watch.curvature == pytest.approx(1.7 / 1.3, rel=1e-3)
    assert run.watch.largest_step_size(run.part) == pytest.approx(2 / math.sqrt(1.7 / 1.3), 1e-3)


def test_checks_do_not_disturb_the_batches() -> None:
    class Counting:
        """Counts the batches drawn from each generator."""

        def __init__(self) -> None:
            self.inner = centres()
            self.drawn: dict[int, int] = {}

        def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
            return self.inner.force(q, batch, out=out)

        def draw_batch(self, num_walkers: int, generator: torch.Generator) -> Tensor:
            self.drawn[id(generator)] = self.drawn.get(id(generator), 0) + 1
            return self.inner.draw_batch(num_walkers, generator)

    target = Counting()
    run = sampled(target, steps=20, start=centres().start(3))
    assert run.world.batches is not None
    assert target.drawn[id(run.world.batches)] == run.world.evaluate.counts[None] == 21
