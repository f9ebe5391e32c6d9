"""Arrangements and geometries in a run: checkpoints, compiled steps, what is recorded."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import thermograd
from thermograd._errors import ParameterError
from thermograd.arrangements import AdLaLa, Arrangement, PartMethod
from thermograd.ensembles import ParallelTempering, QuasiNewton
from thermograd.geometry import Circle, LevelSet, Sphere, constrain
from thermograd.partitions import Partition, last
from thermograd.sampling import Run, resume, summary_of
from thermograd.thermostat import Thermostat

from .world import Pair, model, network

BALL = Sphere(0.7, per="tensor")
CURVED = {
    "0.weight": Circle(2.0),
    "2.weight": Sphere(1.3, slack=True),
    "0.bias": Sphere(0.7, per="tensor"),
}
MIXED = Arrangement(
    last(model()),
    {
        "rest": PartMethod(
            "BAEFEAB", temperature=0.02, thermostat=Thermostat(0.3, 0.05, "scaled", 0.2)
        ),
        "last": PartMethod("OBABO", friction=0.7, mass=1.3),
    },
)
CASES: dict[str, dict[str, Any]] = {
    "adlala": {"method": "adlala"},
    "adlala on manifolds": {"method": AdLaLa(friction=0.4), "geometry": CURVED},
    "mixed": {"method": MIXED, "temperature": 0.03, "observables": ["rest.xi"]},
    "one method on manifolds": {"method": "baoab", "temperature": 0.02, "geometry": CURVED},
    "adam": {"method": "adam", "temperature": 0.0},
}


def run(case: dict[str, Any], steps: int, **changes: Any) -> Run:
    settings: dict[str, Any] = {"walkers": 3, "seed": 4, "step_size": 0.1, "compile": False}
    settings |= {**case, "steps": steps, "progress": False, **changes}
    return thermograd.sample(network(7), **settings)


@pytest.mark.filterwarnings("ignore:.*starts off the manifold")
@pytest.mark.parametrize("name", CASES)
def test_resumed_run_is_bitwise_the_uninterrupted_one(name: str, tmp_path: Path) -> None:
    whole = run(CASES[name], 12)
    run(CASES[name], 5, store=tmp_path / "run").close()
    rest = resume(tmp_path / "run", network(7), progress=False)
    rest.extend(7, progress=False)
    for group in ("posterior", "sample_stats"):
        ours, theirs = getattr(rest, group), getattr(whole, group)
        assert set(ours) == set(theirs)
        for key, draws in theirs.items():
            np.testing.assert_array_equal(ours[key], draws)
    rest.close()
    ours, theirs = summary_of(tmp_path / "run").lines, whole.summary().lines
    assert {str(line) for line in ours} == {str(line) for line in theirs}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*starts off the manifold")
@pytest.mark.parametrize("name", ["adlala on manifolds", "mixed", "adam"])
def test_compiled_run_follows_the_eager_one(name: str) -> None:
    eager, compiled = run(CASES[name], 8), run(CASES[name], 8, compile=True)
    assert compiled.settings.compile is True
    for key, draws in eager.posterior.items():
        other = torch.from_numpy(compiled.posterior[key])
        torch.testing.assert_close(other, torch.from_numpy(draws), rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:.*starts off the manifold")
def test_users_see_positions_under_their_names() -> None:
    found = run({"method": "baoab", "temperature": 0.02, "geometry": CURVED}, 30)
    names = network().names
    assert list(found.posterior) == list(names)
    assert np.abs(found.posterior["0.weight"]).max() <= 2.0
    norms = np.linalg.norm(found.posterior["0.bias"], axis=-1)
    np.testing.assert_allclose(norms, 0.7, rtol=1e-12)
    assert np.linalg.norm(found.posterior["2.weight"], axis=-1).max() <= 1.3 * (1 + 1e-12)
    shapes = {name: tuple(x.shape[1:]) for name, x in model().named_parameters()}
    view = found.view
    for name in names:
        assert view.q[name].shape == view.p[name].shape
    assert len(shapes) == len(view.q)
    assert np.isnan(found.sample_stats["kinetic_temperature"]).sum() == 0


@pytest.mark.filterwarnings("ignore:.*starts off the manifold")
def test_every_part_is_measured_against_its_own_temperature() -> None:
    found = run(CASES["mixed"], 20)
    parts = found.settings.part_temperatures
    assert parts == {"rest.kinetic_temperature": 0.02, "last.kinetic_temperature": 0.03}
    assert found.summary()["last.kinetic_temperature"].expected == 0.03
    assert found.sample_stats["rest.xi"].shape == (3, 20)
    assert "kinetic_temperature" not in found.sample_stats


def test_checks_count_what_is_free_to_move() -> None:
    geometry = Sphere(1.3)
    start = [torch.full((400, 1, 3), 1.3 / 3**0.5), torch.ones(400, 2)]
    start = [x.double() for x in start]
    start[0] *= 1.3 / start[0].norm(dim=-1, keepdim=True)
    found = thermograd.sample(
        Pair(),
        "obabo",
        walkers=400,
        steps=60,
        seed=4,
        temperature=0.7,
        mass=1.3,
        friction=2.0,
        step_size=0.1,
        start=start,
        geometry={"a": geometry},
        progress=False,
    )
    events: list[Any] = list(found.events)
    (event,) = [event for event in events if event["kind"] == "kinetic_temperature"]
    assert "says" not in event
    value, low, high = event["a"]
    assert low <= value <= high
    # three momenta on a sphere are two: counted as three they would show 2/3 of T
    assert low > 0.7 * 2 / 3


class Free(Pair):
    """No force at all."""

    def force(self, q: Any, batch: object = None, *, out: Any) -> torch.Tensor:
        for f in out:
            f.zero_()
        return q[0].new_zeros(len(q[0]))


@pytest.mark.statistical
def test_weights_on_a_circle_have_the_arcsine_law() -> None:
    num, radius = 64, 1.3
    start = [torch.zeros(num, 8, dtype=torch.float64), torch.zeros(num, 1, dtype=torch.float64)]
    found = thermograd.sample(
        Free(),
        "baoab",
        walkers=num,
        steps=800,
        burn_in=100,
        every=7,
        seed=5,
        temperature=0.7,
        step_size=0.5,
        start=start,
        geometry={"a": Circle(radius)},
        params=["a"],
        progress=False,
    )
    from thermograd.testing import assert_mean

    theta = torch.from_numpy(found.posterior["a"]) / radius
    for power, exact in ((2, 1 / 2), (4, 3 / 8)):  # of sin of a uniform angle
        assert_mean(theta.pow(power).mean((1, 2)), exact, resolves=0.03)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"geometry": {"0.wieght": Circle(2.0)}}, "Did you mean '0.weight'"),
        ({"geometry": {"*weight": Circle(2.0), "2.*": Circle(1.0)}}, "lives on"),
        (
            {"geometry": {"0.bias": BALL}, "strict": True},
            "starts off the manifold",
        ),
        ({"geometry": {"0.bias": 3.0}}, "a manifold"),
        ({"geometry": 3.0}, "a manifold"),
        (
            {"geometry": {"0.bias": Sphere(1.3, per="tensor")}, "ensemble": QuasiNewton(eta=1.0)},
            "QuasiNewton needs a flat space",
        ),
        ({"method": "adlalla"}, "Did you mean 'adlala'"),
        ({"method": MIXED, "temperature": None}, "needs a `temperature`"),
        ({"method": AdLaLa(thermostat_per="row")}, "'thermostat_per'"),
        ({"method": AdLaLa(), "observables": ["hidden.xi"]}, "Did you mean|rest.xi"),
        (
            {
                "method": AdLaLa(),
                "ensemble": ParallelTempering((0.02, 0.03), every=2),
                "walkers": 4,
            },
            "has one of its own",
        ),
        (
            {"method": "sgd_momentum", "geometry": {"0.bias": BALL}},
            "cannot run on",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*starts off the manifold")
def test_bad_input(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(Exception, match=said):
        run({"method": "baoab", "temperature": 0.02}, 5, **changes)


@pytest.mark.parametrize(
    ("labels", "methods", "said"),
    [
        ({"a": "x"}, {"x": "baoab"}, "no label for 'b'"),
        ({"a": "x", "b": "y", "c": "y"}, {"x": "baoab", "y": "oba"}, "labels 'c'"),
        ({"a": "x", "b": "y"}, {"x": "baoab"}, "the part 'y' has no method"),
        ({"a": "x", "b": "y"}, {"x": "baoab", "y": "oba", "z": "oba"}, "no part is called 'z'"),
        ({"a": "x", "b": "y"}, {"x": "baoab", "y": "ABOBA"}, "cannot serve both"),
        ({"a": "x", "b": "y"}, {"x": "baoab", "y": "hmc"}, "asks for forces"),
        ({"a": "x", "b": "y"}, {"x": "baoab", "y": "BAEFEAB"}, "needs to know ε and σ"),
        ({"a": "x", "b": ""}, {"x": "baoab"}, "label of b"),
    ],
)
def test_bad_arrangements(labels: dict[str, str], methods: dict[str, Any], said: str) -> None:
    start = [torch.ones(2, 1), torch.ones(2, 1)]
    with pytest.raises(Exception, match=said):
        thermograd.sample(
            Pair(),
            Arrangement(Partition(labels), methods),
            walkers=2,
            steps=2,
            seed=1,
            temperature=0.7,
            step_size=0.1,
            start=start,
            progress=False,
        )


def test_a_constraint_cannot_couple_two_parts() -> None:
    joint = LevelSet(lambda a, b: (a.square().sum() + b.square().sum() - 1.0).reshape(1))
    start = [torch.full((2, 1), 0.5**0.5, dtype=torch.float64) for _ in range(2)]
    method = Arrangement(Partition({"a": "x", "b": "y"}), {"x": "baoab", "y": "obabo"})
    settings: dict[str, Any] = {
        "walkers": 2,
        "steps": 5,
        "seed": 1,
        "temperature": 0.7,
        "step_size": 0.05,
    }
    with pytest.raises(ParameterError, match="must be in one part"):
        thermograd.sample(Pair(), method, **settings, start=start, geometry=joint, progress=False)
    together = Arrangement(Partition(dict.fromkeys("ab", "x")), {"x": "baoab"})
    found = thermograd.sample(
        Pair(), together, **settings, start=start, geometry=joint, progress=False
    )
    a, b = (found.posterior[name].astype(np.float64) for name in "ab")
    total = a**2 + b**2
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*starts off the manifold")
def test_what_constrain_returns_is_a_geometry() -> None:
    chosen = constrain(model(), Circle(2.0), torch.nn.Linear)
    found = run({"method": "baoab", "temperature": 0.02, "geometry": chosen}, 5)
    assert found.settings.geometry == ((Circle(2.0), ("0.weight", "2.weight")),)
    assert thermograd.constrain is constrain


def test_a_temperature_that_no_part_uses_is_mentioned() -> None:
    found = run({"method": "adlala", "temperature": 0.7}, 3)
    assert any("is not used" in str(event.get("says")) for event in found.events)
