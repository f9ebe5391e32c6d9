"""Methods with an acceptance test: exact at large steps, and a refused move leaves no trace."""

import math

import pytest
import torch
from torch import Tensor

from thermograd._errors import EvaluationError, ParameterError
from thermograd.integrators import Integrator, get
from thermograd.integrators.hmc import HMC
from thermograd.noise import Gaussian, Tape, seeded
from thermograd.potentials import DoubleWell, Quartic
from thermograd.potentials.analytic import Analytic
from thermograd.potentials.base import Evaluator
from thermograd.sampling.engine import make_part, simulate
from thermograd.state import Env, Params, Part
from thermograd.testing import assert_mean

from ..reference.chain import Chain
from .worlds import M, T, normals, positions

WALKERS = 512
TARGETS = {
    "quartic": Quartic(1.6, 0.4, num_params=2),
    "double well": DoubleWell(0.8, 0.9, 0.2, num_params=2),
}
METHODS: dict[str, tuple[Integrator, float]] = {  # each at a step that refuses a good part
    "mala": (get("mala"), 0.45),
    "hmc": (HMC(path_steps=3), 0.7),
    "hmc_randomised": (HMC(path_steps=2, randomised=True), 0.8),
    "hmc_first_order": (HMC(path_steps=3, order=1), 0.5),
}


def records(target: Analytic, part: Part) -> dict[str, Tensor]:
    seen = target.observables(part.q)
    return {name: seen[name] for name in ("q", "q^2", "q^4", "energy")} | {
        "acceptance": part.records["acceptance"]
    }


@pytest.mark.statistical
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("method", METHODS)
def test_law_is_exact_at_a_large_step(method: str, name: str, seed: int) -> None:
    """Started in the law and still in it; each average sees a bias of 4% of its scale."""
    target = TARGETS[name]
    integrator, h = METHODS[method]
    found = simulate(
        target,
        integrator,
        target.sample(WALKERS, T, seeded(seed), torch.float64),
        steps=1500,
        step_size=h,
        noise=Gaussian(seeded(seed + 1000)),
        temperature=T,
        mass=M,
        observe=lambda part: records(target, part),
    )
    acceptance = float(found.mean["acceptance"].mean())
    assert 0.3 < acceptance < 0.93, "too few moves are refused, or taken, to test anything"
    law = target.expectations(T)
    for quantity in ("q", "q^2", "q^4", "energy"):
        scale = max(abs(law[quantity]), math.sqrt(law["q^2"]))
        assert_mean(found.mean[quantity], law[quantity], resolves=0.04 * scale)


def prepared(method: str, uniforms: Tensor, h: float) -> tuple[Part, Env, Evaluator]:
    """Run one step on the chain from a state whose force is known."""
    integrator = METHODS[method][0]
    q = positions(3)
    evaluator = Evaluator(Chain())
    rolls = [uniforms] * 8
    env = Env(Tape([[row] for row in normals(3)], rolls), evaluator)
    part = make_part(integrator, [q], temperature=T, mass=M)
    env.evaluate(part)
    integrator.step(part, h, env)
    return part, env, evaluator


@pytest.mark.parametrize("method", METHODS)
def test_refused_move_puts_everything_back(method: str) -> None:
    before, _ = fresh_force()
    part, _, _ = prepared(method, torch.full((3,), 1 - 1e-16, dtype=torch.float64), 2.9)
    assert bool((part.records["acceptance"] < 1).all())
    assert torch.equal(part.q[0], positions(3))
    assert torch.equal(part.force.tensors[0], before.force.tensors[0])
    assert before.energy is not None
    assert part.energy is not None
    assert torch.equal(part.energy, before.energy)
    if part.p:  # the momenta it set out with
        torch.testing.assert_close(part.p[0], math.sqrt(M * T) * normals(3)[0])


@pytest.mark.parametrize("method", METHODS)
def test_taken_move_leaves_its_force_and_energy(method: str) -> None:
    part, _, _ = prepared(method, torch.full((3,), 1e-12, dtype=torch.float64), 0.2)
    assert not torch.equal(part.q[0], positions(3))
    check, _ = fresh_force(part.q[0])
    assert torch.equal(part.force.tensors[0], check.force.tensors[0])
    assert check.energy is not None
    assert part.energy is not None
    assert torch.equal(part.energy, check.energy)
    assert part.force.is_fresh


def fresh_force(q: Tensor | None = None) -> tuple[Part, Evaluator]:
    """Evaluate the chain at `q`."""
    part = make_part(get("mala"), [q if q is not None else positions(3)], temperature=T)
    evaluator = Evaluator(Chain())
    evaluator(part)
    return part, evaluator


@pytest.mark.parametrize("rolls", [(0.3, 0.9, 0.9), (0.5, 0.9, 0.6)])
def test_walkers_decide_alone(rolls: tuple[float, ...]) -> None:
    """A walker moves if its own roll is below its own probability."""
    drawn = torch.tensor(rolls, dtype=torch.float64)
    part, _, _ = prepared("mala", drawn, 0.5)
    moved = (part.q[0] != positions(3)).any(1)
    assert 0 < int(moved.sum()) < len(rolls)
    assert torch.equal(moved, drawn < part.records["acceptance"])


@pytest.mark.parametrize("method", ["mala", "hmc", "hmc_first_order"])
def test_next_step_reuses_the_force(method: str) -> None:
    part, env, evaluator = prepared(method, torch.full((3,), 0.4, dtype=torch.float64), 0.6)
    spent = evaluator.counts[None]
    integrator = METHODS[method][0]
    integrator.step(part, 0.6, env)
    assert evaluator.counts[None] - spent == integrator.claims.gradients_per_step[None]


class Cliff:
    """Flat, and beyond |q| = 2 nothing: U is infinite or NaN there."""

    def __init__(self, beyond: float) -> None:
        self.beyond = beyond

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        out[0].zero_()
        return torch.where(q[0][:, 0].abs() > 2, self.beyond, 0.0)


@pytest.mark.parametrize("beyond", [math.inf, math.nan])
@pytest.mark.parametrize("method", ["mala", "hmc", "hmc_first_order"])
def test_moves_to_where_the_energy_is_lost_are_refused(method: str, beyond: float) -> None:
    integrator = METHODS[method][0]
    part = make_part(integrator, [torch.zeros(3, 1)], temperature=T, mass=M)
    xi = torch.tensor([[40.0], [0.1], [-40.0]])
    env = Env(Tape([[xi]], [torch.zeros(3)] * 2), Evaluator(Cliff(beyond)))
    integrator.step(part, 0.3, env)
    assert (part.q[0][:, 0] != 0).tolist() == [False, True, False]
    assert part.records["acceptance"].tolist() == [0.0, 1.0, 0.0]
    assert part.energy is not None
    assert part.energy.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("method", METHODS)
def test_a_target_without_energy_is_refused(method: str) -> None:
    def evaluate(part: Part, component: str | None = None) -> None:
        part.force.is_fresh = True

    integrator = METHODS[method][0]
    part = make_part(integrator, [torch.zeros(2, 1)], temperature=T)
    with pytest.raises(EvaluationError, match="an acceptance test needs U"):
        integrator.step(part, 0.3, Env(Gaussian(seeded(0)), evaluate))


@pytest.mark.parametrize("draw", [0.0, 0.2, 0.39, 0.41, 0.6, 0.999])
def test_randomised_path_has_1_to_2k_minus_1_substeps(draw: float) -> None:
    """path_steps = 3: the fifths of the unit interval are the lengths 1 … 5."""
    method = HMC(path_steps=3, randomised=True)
    rolls = [torch.full((3,), draw), torch.full((3,), 0.5)]
    evaluator = Evaluator(Chain())
    env = Env(Tape([[normals(3)[0]]], rolls), evaluator)
    part = make_part(method, [positions(3)], temperature=T)
    env.evaluate(part)
    method.step(part, 0.1, env)
    assert evaluator.counts[None] - 1 == 1 + math.floor(5 * draw)


@pytest.mark.parametrize("steps", [0, -2, 2.5])
def test_path_needs_a_number_of_steps(steps: int) -> None:
    with pytest.raises(ParameterError, match="the 'path_steps' of HMC must be an integer above 0"):
        HMC(path_steps=steps)


@pytest.mark.parametrize("order", [0, 3])
def test_path_is_of_order_one_or_two(order: int) -> None:
    with pytest.raises(ParameterError, match="the 'order' of HMC must be one of '1', '2'"):
        HMC(order=order)
