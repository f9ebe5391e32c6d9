"""Ensemble quasi-Newton: factors against the definition, the law with frozen factors, a run."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import thermograd
from thermograd import integrators
from thermograd._errors import ParameterError
from thermograd.ensembles import Moment, QuasiNewton, _factor
from thermograd.ensembles._preconditioned import Preconditioned
from thermograd.integrators import Integrator
from thermograd.noise import Tape, seeded
from thermograd.potentials import CorrelatedGaussian
from thermograd.potentials.base import Evaluator
from thermograd.sampling import resume
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Part
from thermograd.testing import assert_mean
from thermograd.testing.contracts.gaussian import stationary_covariance
from thermograd.testing.contracts.probe import Setting, read_step
from thermograd.testing.contracts.targets import Target, Well

from ..reference import quasi_newton as twin

T, M, GAMMA = 0.7, 1.3, 0.8
SPECTRUM = (1.7, 0.3, 4.1, 0.06)


def gaussian(spectrum: tuple[float, ...] = SPECTRUM) -> CorrelatedGaussian:
    return CorrelatedGaussian.from_spectrum(spectrum, seeded(5))


def positions(walkers: int = 6, size: int = 4) -> Tensor:
    return torch.randn(walkers, size, generator=seeded(7), dtype=torch.float64) * 1.9 + 0.4


def others(walkers: int) -> Tensor:
    """Return which samples count for which walker, one sample from each."""
    return ~torch.eye(walkers, dtype=torch.bool)


def matrices(coupling: dict[str, Tensor], walkers: int, size: int) -> Tensor:
    """Return B of every walker, column by column."""
    eye = torch.eye(size, dtype=torch.float64)
    columns = [_factor.apply(coupling, e.expand(walkers, size)) for e in eye]
    return torch.stack(columns, dim=2)


@pytest.mark.parametrize("make", [_factor.low_rank, _factor.dense])
@pytest.mark.parametrize("shrinkage", [0.0, 0.37, None])
def test_b_is_a_root_of_the_blended_covariance_of_the_others(
    make: type, shrinkage: float | None
) -> None:
    q, eta, alive = positions(), 2.3, [True, True, False, True, True, True]
    q[2] = torch.nan
    b = matrices(make(q, others(6) & torch.tensor(alive), eta, shrinkage), 6, 4)
    for walker in (0, 1, 3, 4, 5):
        cov = twin.covariance_of_others(q.numpy(), alive, walker)
        given, mean = twin.ledoit_wolf(q.numpy(), alive, walker)
        rho = given if shrinkage is None else shrinkage
        expected = np.eye(4) * (1 + eta * rho * mean) + eta * (1 - rho) * cov
        assert np.allclose((b[walker] @ b[walker].T).numpy(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", [_factor.low_rank, _factor.dense])
def test_the_transpose_is_the_transpose(make: type) -> None:
    q = positions()
    coupling = make(q, others(6), 2.3, 0.0)
    x, y = positions(), positions().flip(0)
    left = (_factor.apply(coupling, x) * y).sum(1)
    right = (x * _factor.apply_transposed(coupling, y)).sum(1)
    assert torch.allclose(left, right, rtol=1e-13)


@pytest.mark.parametrize("copies", [1, 3])
def test_walkers_in_one_place_or_on_a_line_do_no_harm(copies: int) -> None:
    q = positions(walkers=copies).repeat(6 // copies, 1)
    coupling = _factor.low_rank(q, others(6), 1e6, 0.0)
    b = matrices(coupling, 6, 4)
    alive = [True] * 6
    for walker in range(6):
        expected = np.eye(4) + 1e6 * twin.covariance_of_others(q.numpy(), alive, walker)
        assert np.allclose((b[walker] @ b[walker].T).numpy(), expected, rtol=1e-9, atol=1e-9)


def test_low_rank_never_holds_a_matrix_of_the_size_of_the_parameters() -> None:
    q = torch.randn(5, 100_000, generator=seeded(1))
    coupling = _factor.low_rank(q, others(5), 2.3, 0.0)
    assert sum(tensor.numel() for tensor in coupling.values()) == 5 * 100_000 + 5**3 + 5


@dataclass(frozen=True)
class Frozen:
    """A method under one matrix B for all walkers, so that the contracts can read its step."""

    method: Integrator
    b: Tensor
    has_momenta: bool = True
    auxiliaries: tuple[str, ...] = ()

    @property
    def claims(self) -> integrators.Claims:
        return self.method.claims

    def init(self, part: Part, env: Env) -> None:
        self.method.init(part, env)

    def step(self, part: Part, h: float, env: Env) -> None:
        part.coupling["factor"] = self.b.expand(len(part.q[0]), -1, -1)
        Preconditioned(self.method).step(part, h, env)


@pytest.mark.parametrize("h", [0.2, 0.45])
@pytest.mark.parametrize("method", ["baoab", "aboba", "baoa"])
def test_the_law_with_frozen_factors_is_exact_in_position(method: str, h: float) -> None:
    precision, zero = gaussian().precision, tuple((0.0,) * 4 for _ in range(4))
    b = _factor.dense(positions(), others(6), 0.3, 0.0)["factor"][0]
    target = Target(slow=Well(precision, zero), fast=Well(zero, zero))
    setting = Setting(Frozen(integrators.get(method), b), target, GAMMA, T, M)
    law = stationary_covariance(read_step(setting, h))
    assert torch.allclose(law[:4, :4], T * gaussian().covariance, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("factor", ["dense", "low-rank"])
def test_a_step_is_the_one_written_out(factor: str) -> None:
    target, h = gaussian(), 0.21
    ensemble = QuasiNewton(eta=0.7, every=3, factor=factor)  # pyright: ignore[reportArgumentType]
    method = ensemble.wrap(integrators.get("baoab"))
    start = positions()
    part = make_part(method, [start[:, :1], start[:, 1:]], friction=GAMMA, temperature=T, mass=M)
    part.p = [x.clone() for x in positions().flip(0).split([1, 3], dim=1)]
    ensemble.begin(part)
    ensemble.update(part, moment(_Split(target), 6, h))
    b = matrices(part.coupling, 6, 4)
    xi = torch.randn(6, 4, generator=seeded(9), dtype=torch.float64)
    momenta = torch.cat(part.p, 1).clone()
    env = Env(Tape([list(xi.split([1, 3], dim=1))]), Evaluator(_Split(target)))
    method.step(part, h, env)
    setting = {"friction": GAMMA, "temperature": T, "mass": M}
    precision = np.array(target.precision)
    for walker in range(6):
        q, p = twin.baoab(
            start[walker].numpy(),
            momenta[walker].numpy(),
            b[walker].numpy(),
            precision,
            xi[walker].numpy(),
            h,
            setting,
        )
        assert np.allclose(torch.cat(part.q, 1)[walker].numpy(), q, rtol=1e-12, atol=1e-12)
        assert np.allclose(torch.cat(part.p, 1)[walker].numpy(), p, rtol=1e-12, atol=1e-12)


@dataclass(eq=False)
class _Split:
    """A Gaussian whose positions are two tensors."""

    target: CorrelatedGaussian

    def force(self, q: list[Tensor], batch: object = None, *, out: list[Tensor]) -> Tensor:
        whole = [torch.cat(q, dim=1)]
        energy = self.target.force(whole, out=(found := [torch.empty_like(whole[0])]))
        out[0].copy_(found[0][:, :1])
        out[1].copy_(found[0][:, 1:])
        return energy


def moment(potential: object, walkers: int, h: float) -> Moment:
    return Moment(
        step=3,
        step_size=h,
        is_alive=torch.ones(walkers, dtype=torch.bool),
        potential=potential,  # pyright: ignore[reportArgumentType]
        draw_batch=lambda: None,
        generator=seeded(4),
    )


def run(**changes: object) -> thermograd.sampling.Run:
    target = gaussian()
    given: dict[str, object] = {
        "walkers": 8,
        "steps": 300,
        "every": 10,
        "seed": 3,
        "temperature": T,
        "step_size": 0.2,
        "friction": GAMMA,
        "mass": M,
        "start": [x.double() for x in target.sample(8, T, seeded(1))],
        "ensemble": QuasiNewton(eta=1.3, every=64),
        "progress": False,
    }
    return thermograd.sample(target, "baoab", **{**given, **changes})  # pyright: ignore


@pytest.mark.parametrize("factor", ["dense", "low-rank"])
def test_compiled_is_eager(factor: str) -> None:
    ensemble = QuasiNewton(eta=1.3, every=64, factor=factor)  # pyright: ignore[reportArgumentType]
    one, other = (run(ensemble=ensemble, compile=mode) for mode in (False, True))
    assert other.settings.compile is True
    assert np.allclose(one.posterior["q"], other.posterior["q"], rtol=1e-7, atol=1e-7)


def test_a_run_resumes_bit_for_bit(tmp_path: Path) -> None:
    whole = run(compile=False)
    part = run(compile=False, store=tmp_path / "run", steps=150)
    part.close()
    again = resume(tmp_path / "run", gaussian(), progress=False).extend(150, progress=False)
    assert np.array_equal(again.posterior["q"], whole.posterior["q"])
    assert again.settings.ensemble == whole.settings.ensemble
    again.close()


def test_an_unstable_eta_is_lowered_and_said() -> None:
    # h²λ/m is 0.36 without B, and above 4 with all of η; 3 walkers see few directions
    found = run(walkers=3, start=positions(3), ensemble=QuasiNewton(eta=900.0, every=20))
    events = [event for event in found.events if event["kind"] == "quasi_newton"]
    assert events
    assert "would be unstable" in str(events[0]["says"])
    assert all(float(str(event["eta"])) < 900 for event in events)
    assert np.isfinite(found.posterior["q"]).all()


@pytest.mark.parametrize("eta", [40.0, 900.0])
def test_eta_is_lowered_no_further_than_it_must(eta: float) -> None:
    # h²λ/m is 0.32·4.1/1.3 = 1.0 without B
    h, size, walkers = 0.32**0.5, 4, 6
    part = make_part(integrators.get("baoab"), [positions()], temperature=T, mass=M)
    part.p = [positions()]
    ensemble = QuasiNewton(eta=eta)
    ensemble.begin(part)
    (event,) = ensemble.update(part, moment(gaussian(), walkers, h))
    assert 0 < float(str(event[1]["eta"])) < eta
    b = matrices(part.coupling, walkers, size)
    hessian = torch.tensor(gaussian().precision, dtype=torch.float64)
    stiffness = h**2 / M * torch.linalg.eigvalsh(b.mT @ hessian @ b).max()
    assert 0.8 * 3.6 < float(stiffness) < 4


def test_a_step_that_is_unstable_without_factors_gets_none() -> None:
    part = make_part(integrators.get("baoab"), [positions()], temperature=T, mass=M)
    part.p = [positions()]
    ensemble = QuasiNewton(eta=0.7)
    ensemble.begin(part)
    (event,) = ensemble.update(part, moment(gaussian(), 6, 1.2))  # h²λ/m = 4.5
    assert event[1]["eta"] == 0
    assert torch.equal(matrices(part.coupling, 6, 4), torch.eye(4).double().expand(6, 4, 4))


@pytest.mark.parametrize(("walkers", "updates"), [(3, 8), (16, 8), (50, 3), (128, 1), (500, 1)])
def test_memory_is_chosen_for_a_number_of_samples(walkers: int, updates: int) -> None:
    part = make_part(integrators.get("baoab"), [positions(walkers)], temperature=T)
    QuasiNewton(eta=0.7).begin(part)
    assert len(part.coupling["history"]) == updates


@pytest.mark.parametrize(("size", "is_dense"), [(48, True), (49, False)])
def test_factors_are_dense_up_to_as_many_coordinates_as_samples(size: int, is_dense: bool) -> None:
    part = make_part(integrators.get("baoab"), [positions(6, size)], temperature=T)
    QuasiNewton(eta=0.7).begin(part)
    assert ("factor" in part.coupling) == is_dense


def test_a_stable_eta_is_kept() -> None:
    assert not [event for event in run().events if event["kind"] == "quasi_newton"]


def test_memory_pools_the_positions_of_the_last_updates_of_others() -> None:
    ensemble = QuasiNewton(eta=0.7, every=3, memory=2)
    part = make_part(integrators.get("baoab"), [positions()], temperature=T)
    ensemble.begin(part)
    places = [positions() * size for size in (3.0, 0.6, 1.1)]
    for q in places:
        part.q[0].copy_(q)
        ensemble.update(part, moment(gaussian(), 6, 0.02))
    b = matrices(part.coupling, 6, 4)
    for walker in range(6):
        pooled = np.concatenate([np.delete(q.numpy(), walker, 0) for q in places[1:]])
        expected = np.eye(4) + 0.7 * np.cov(pooled.T)
        assert np.allclose((b[walker] @ b[walker].T).numpy(), expected, rtol=0, atol=1e-12)


def test_factors_stay_after_until() -> None:
    ensemble = QuasiNewton(eta=1.3, every=50, until=100)
    assert [ensemble.next_update(step) for step in (0, 49, 50, 99)] == [50, 50, 100, 100]
    assert ensemble.next_update(100) > 10**9


@pytest.mark.parametrize("walkers", [1, 2])
def test_too_few_walkers_are_refused(walkers: int) -> None:
    with pytest.raises(ParameterError, match="at least 3 walkers"):
        run(walkers=walkers, start=positions(walkers))


def test_acceptance_tests_are_refused() -> None:
    target = gaussian()
    with pytest.raises(ParameterError, match="acceptance test"):
        thermograd.sample(
            target,
            "mala",
            walkers=4,
            steps=5,
            seed=3,
            temperature=T,
            step_size=0.1,
            start=positions(4),
            ensemble=QuasiNewton(eta=0.3),
            progress=False,
        )


def test_curved_spaces_are_refused() -> None:
    method = integrators.get("baoab")
    part = make_part(method, [positions()], temperature=T)
    part.geometry = _Curved()  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ParameterError, match="flat space"):
        QuasiNewton(eta=0.3).require(part, method, T)


class _Curved:
    is_flat = False


@pytest.mark.parametrize(
    "bad",
    [
        {"eta": -0.1},
        {"eta": 1.3, "every": 0},
        {"eta": 1.3, "shrinkage": 1.2},
        {"eta": 1.3, "memory": 0},
        {"eta": 1.3, "memory": "all"},
    ],
)
def test_bad_settings_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="QuasiNewton"):
        QuasiNewton(**bad)  # pyright: ignore[reportArgumentType]


@pytest.mark.statistical
@pytest.mark.parametrize("method", ["baoab", "leimkuhler_matthews"])
def test_a_gaussian_keeps_its_variance(method: str, seed: int) -> None:
    target = gaussian()
    found = thermograd.sample(
        target,
        method,
        walkers=64,
        steps=12_000,
        every=4,
        burn_in=1000,
        seed=seed,
        temperature=T,
        step_size=0.2 if method == "baoab" else 0.05,
        friction=GAMMA,
        mass=M,
        start=target.sample(64, T, seeded(seed)),
        ensemble=QuasiNewton(eta=0.9, every=250, until=1000),
        compile=False,
        progress=False,
    )
    squares = torch.from_numpy(found.posterior["q"]).square().mean((1, 2))
    assert_mean(squares, target.expectations(T)["q^2"], resolves=0.25)
