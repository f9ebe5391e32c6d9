"""Tempering: ladders, exchanges that keep the law, laws of a double well, resumption."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import thermograd
from thermograd._errors import ParameterError
from thermograd.ensembles import Ensemble, Moment, ParallelTempering, SimulatedTempering
from thermograd.integrators import get
from thermograd.noise import seeded
from thermograd.potentials import DoubleWell, Harmonic
from thermograd.sampling import resume
from thermograd.sampling.engine import make_part
from thermograd.testing import assert_mean

T = 0.3
LADDER = (T, 0.55, 1.1, 2.1)
WELLS = DoubleWell(stiffness=1.4, well=1.2, tilt=0.25)  # a barrier of 10 T between the wells


def run(ensemble: Ensemble, walkers: int, steps: int, **changes: object) -> thermograd.sampling.Run:
    given: dict[str, object] = {
        "walkers": walkers,
        "steps": steps,
        "seed": 3,
        "temperature": T,
        "step_size": 0.12,
        "friction": 0.8,
        "mass": 1.3,
        "start": torch.full((walkers, 1), 1.2, dtype=torch.float64),
        "ensemble": ensemble,
        "compile": False,
        "progress": False,
    }
    return thermograd.sample(WELLS, "baoab", **{**given, **changes})  # pyright: ignore


@pytest.mark.parametrize("ladder", [(T, 0.9, 0.7), (T, T), (T,), (), (0.0, T), (T, math.nan)])
def test_ladders_that_do_not_rise_are_refused(ladder: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="'temperatures' of ParallelTempering must be"):
        ParallelTempering(temperatures=ladder)


def test_ladders_that_do_not_begin_at_the_runs_temperature_are_refused() -> None:
    with pytest.raises(ParameterError, match="lowest of the temperatures"):
        run(ParallelTempering(temperatures=(0.4, 0.9)), 4, 5)


def test_walkers_that_do_not_fill_the_ladders_are_refused() -> None:
    with pytest.raises(ParameterError, match="a multiple of 4 walkers; got 6"):
        run(ParallelTempering(temperatures=LADDER), 6, 5)


def moment(step: int, alive: Tensor, seed: int = 4) -> Moment:
    potential = Harmonic((1.7,))
    return Moment(step, 0.1, alive, potential, lambda: None, seeded(seed))


@pytest.mark.parametrize(("step", "pairs"), [(4, {0: 1, 2: 3}), (6, {1: 2, 5: 6})])
def test_neighbours_of_one_ladder_exchange_even_and_odd_in_turn(
    step: int, pairs: dict[int, int]
) -> None:
    """Energies that rise with every walker down the ladder make every exchange certain."""
    ensemble = ParallelTempering(temperatures=LADDER, every=2)
    q = torch.linspace(3.0, 1.0, 8, dtype=torch.float64).unsqueeze(1)
    part = make_part(get("baoab"), [q], temperature=T)
    ensemble.begin(part)
    part.p[0].copy_(q + 0.2)
    ensemble.update(part, moment(step, torch.ones(8, dtype=torch.bool)))
    order = list(range(8))
    for low, high in {**pairs, **({4: 5, 6: 7} if step == 4 else {})}.items():
        order[low], order[high] = high, low
    assert torch.equal(part.q[0], q[order])
    heat = torch.tensor(LADDER * 2, dtype=torch.float64)
    expected = (q[order] + 0.2) * (heat / heat[order]).sqrt().unsqueeze(1)
    assert torch.allclose(part.p[0], expected, rtol=1e-15)


def test_lost_walkers_do_not_exchange() -> None:
    ensemble = ParallelTempering(temperatures=LADDER, every=2)
    q = torch.linspace(3.0, 1.0, 4, dtype=torch.float64).unsqueeze(1)
    q[1] = torch.nan
    part = make_part(get("baoab"), [q], temperature=T)
    ensemble.begin(part)
    ensemble.update(part, moment(4, torch.tensor([True, False, True, True])))
    assert torch.equal(part.q[0][[0, 2, 3]], q[[0, 3, 2]])
    assert bool(part.q[0][1].isnan())


def test_the_probability_of_an_exchange_is_that_of_metropolis() -> None:
    ensemble = ParallelTempering(temperatures=(T, 0.55), every=2)
    q = torch.tensor([[0.4], [0.9]], dtype=torch.float64)
    part = make_part(get("baoab"), [q], temperature=T)
    ensemble.begin(part)
    ensemble.update(part, moment(4, torch.ones(2, dtype=torch.bool)))
    energy = [0.5 * 1.7 * x * x for x in (0.4, 0.9)]
    expected = math.exp((1 / T - 1 / 0.55) * (energy[0] - energy[1]))
    assert float(part.records["swap_acceptance"][0]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "ensemble",
    [
        ParallelTempering(temperatures=LADDER, every=5),
        SimulatedTempering(temperatures=LADDER, every=5, learn_until=100),
    ],
)
def test_a_run_resumes_bit_for_bit(ensemble: Ensemble, tmp_path: Path) -> None:
    whole = run(ensemble, 8, 200)
    run(ensemble, 8, 90, store=tmp_path / "run").close()
    again = resume(tmp_path / "run", WELLS, progress=False).extend(110, progress=False)
    assert np.array_equal(again.posterior["q"], whole.posterior["q"])
    assert again.settings.ensemble == ensemble
    again.close()


@pytest.mark.parametrize(
    "ensemble",
    [
        ParallelTempering(temperatures=LADDER, every=5),
        SimulatedTempering(temperatures=LADDER, every=5, learn_until=100),
    ],
)
def test_compiled_is_eager(ensemble: Ensemble) -> None:
    one, other = (run(ensemble, 8, 200, compile=mode) for mode in (False, True))
    assert other.settings.compile is True
    assert np.allclose(one.posterior["q"], other.posterior["q"], rtol=1e-7, atol=1e-7)


def test_the_summary_is_of_the_walkers_at_the_runs_temperature() -> None:
    found = run(ParallelTempering(temperatures=LADDER, every=5), 8, 50)
    mean = found.posterior["q"][[0, 4]].mean()
    assert found.summary()["q[0]"].mean == pytest.approx(mean, rel=1e-12)


@pytest.mark.statistical
def test_parallel_tempering_samples_both_wells(seed: int) -> None:
    ensemble = ParallelTempering(temperatures=LADDER, every=5)
    found = run(ensemble, 64 * 4, 20_000, every=5, burn_in=2000, seed=seed)
    cold = torch.from_numpy(found.posterior["q"])[::4, :, 0]  # (64, draws)
    law = WELLS.expectations(T)
    assert_mean(cold.mean(1), law["q"], resolves=0.06)
    assert_mean(cold.square().mean(1), law["q^2"], resolves=0.02)


@pytest.mark.statistical
def test_simulated_tempering_samples_both_wells(seed: int) -> None:
    ensemble = SimulatedTempering(temperatures=LADDER, every=5, learn_until=5000)
    found = run(ensemble, 128, 40_000, every=10, burn_in=6000, seed=seed)
    q = torch.from_numpy(found.posterior["q"])[:, :, 0]
    is_cold = torch.from_numpy(found.sample_stats["rung"]) == 0
    law = WELLS.expectations(T)
    # a ratio of means: the numerator of q − ⟨q⟩ over cold draws has mean 0
    assert_mean(((q - law["q"]) * is_cold).mean(1), 0.0, resolves=0.03)
    visits = torch.from_numpy(found.sample_stats["rung"])
    weights = found.part.coupling["weights"]
    share = torch.softmax(log_partition_functions() - weights, 0)
    assert float((share - 0.25).abs().max()) < 0.05  # the weights were learnt
    for rung in range(4):
        assert_mean((visits == rung).double().mean(1), float(share[rung]), resolves=0.02)


def log_partition_functions() -> Tensor:
    """Return log ∫ exp(−U/T_k) dq, by the trapezoidal rule."""
    grid = torch.linspace(-6, 6, 20_001, dtype=torch.float64)
    energy = 1.4 * (grid.square() - 1.2**2).square() + 0.25 * grid
    return torch.stack([torch.exp(-energy / heat).sum().log() for heat in LADDER])


def test_without_tempering_the_cold_walkers_stay_where_they_start() -> None:
    found = run(Ensemble(), 64, 20_000, every=100)
    assert WELLS.expectations(T)["q"] < -0.8
    assert float(found.posterior["q"].mean()) > 0.5
