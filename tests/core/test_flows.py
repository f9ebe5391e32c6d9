"""The flows A, B, O, flat space and the state, line by line."""

import math

import pytest
import torch
from torch import Tensor

from thermograd._foreach import all_finite, choose_, decay_add_, dot, is_packed, kick_drift_
from thermograd.flows.bath import Bath
from thermograd.flows.drift import Drift
from thermograd.flows.kick import Kick
from thermograd.geometry import Flat
from thermograd.noise import Tape
from thermograd.state import Env, Force, Part

T, M, GAMMA, DT = 0.7, 1.3, 0.9, 0.37
Q, P, XI = [0.4, -1.2], [0.8, 0.3], [1.1, -0.6]


def vector(values: list[float]) -> Tensor:
    return torch.tensor([values], dtype=torch.float64)


class Counted:
    """Writes the force (−2, 5), and counts how often it is asked, by term."""

    def __init__(self) -> None:
        self.asked: list[str | None] = []

    def __call__(self, part: Part, component: str | None = None) -> None:
        self.asked.append(component)
        if component is not None:
            part.components[component] = Force([vector([3.0, 7.0])], is_fresh=True)
        else:
            part.force.tensors[0].copy_(vector([-2.0, 5.0]))
            part.force.is_fresh = True


def make(friction: float = GAMMA, temperature: float = T) -> tuple[Part, Env, Counted]:
    force = Force([vector([0.0, 0.0])])
    part = Part([vector(Q)], [vector(P)], force, Flat(), friction, temperature, M)
    counted = Counted()
    return part, Env(Tape([[vector(XI)]]), counted), counted


def test_drift_moves_by_velocity() -> None:
    part, env, _ = make()
    Drift()(part, DT, env)
    expected = [q + DT * p / M for q, p in zip(Q, P, strict=True)]
    assert part.q[0][0].tolist() == pytest.approx(expected, rel=1e-15)
    assert part.p[0][0].tolist() == P


def test_drift_makes_every_force_stale() -> None:
    part, env, _ = make()
    part.force.is_fresh = True
    part.components["slow"] = Force([vector([0.0, 0.0])], is_fresh=True)
    Drift()(part, DT, env)
    assert not part.force.is_fresh
    assert not part.components["slow"].is_fresh


def test_kick_pushes_by_the_force() -> None:
    part, env, _ = make()
    Kick()(part, DT, env)
    assert part.p[0][0].tolist() == pytest.approx([0.8 - 2 * DT, 0.3 + 5 * DT], rel=1e-15)
    assert part.q[0][0].tolist() == Q


def test_kick_evaluates_only_a_stale_force() -> None:
    part, env, counted = make()
    Kick()(part, DT, env)
    Kick()(part, DT, env)
    assert counted.asked == [None]
    Drift()(part, DT, env)
    Kick()(part, DT, env)
    assert counted.asked == [None, None]


def test_kick_reads_the_scale_of_the_force() -> None:
    part, env, _ = make()
    part.force = Force([vector([3.0, 7.0])], scale=-0.5, is_fresh=True)
    Kick()(part, DT, env)
    assert part.p[0][0].tolist() == pytest.approx([0.8 - 1.5 * DT, 0.3 - 3.5 * DT], rel=1e-15)


def test_kick_by_a_component_uses_that_alone() -> None:
    part, env, counted = make()
    Kick("slow")(part, DT, env)
    Kick("slow")(part, DT, env)
    assert part.p[0][0].tolist() == pytest.approx([0.8 + 6 * DT, 0.3 + 14 * DT], rel=1e-15)
    assert counted.asked == ["slow"]


@pytest.mark.parametrize("dt", [DT, 2.9])
def test_bath_is_the_exact_ornstein_uhlenbeck_map(dt: float) -> None:
    part, env, _ = make()
    Bath()(part, dt, env)
    c = math.exp(-GAMMA * dt)
    s = math.sqrt(M * T * (1 - c**2))
    expected = [c * p + s * x for p, x in zip(P, XI, strict=True)]
    assert part.p[0][0].tolist() == pytest.approx(expected, rel=1e-14)


def test_bath_keeps_its_digits_at_weak_friction() -> None:
    """√(1 − c²) → √(2γ dt): computed from c it would have no digit left here."""
    part, env, _ = make(friction=1e-17)
    part.p[0].zero_()
    Bath()(part, DT, env)
    expected = math.sqrt(M * T * 2e-17 * DT)
    assert part.p[0][0].tolist() == pytest.approx([expected * x for x in XI], rel=1e-14)


def test_bath_without_friction_does_nothing_and_draws_nothing() -> None:
    part, env, _ = make(friction=0.0)
    Bath()(part, DT, env)
    assert part.p[0][0].tolist() == P
    assert env.noise.state_dict()["position"].tolist() == [0, 0]


def test_bath_at_zero_temperature_decays_and_draws_nothing() -> None:
    part, env, _ = make(temperature=0.0)
    Bath()(part, DT, env)
    expected = [math.exp(-GAMMA * DT) * p for p in P]
    assert part.p[0][0].tolist() == pytest.approx(expected, rel=1e-15)
    assert env.noise.state_dict()["position"].tolist() == [0, 0]


def test_bath_at_infinite_friction_draws_momenta_afresh() -> None:
    part, env, _ = make(friction=math.inf)
    Bath()(part, DT, env)
    expected = [math.sqrt(M * T) * x for x in XI]
    assert part.p[0][0].tolist() == pytest.approx(expected, rel=1e-15)


def test_bath_leaves_positions_and_forces() -> None:
    part, env, _ = make()
    part.force.is_fresh = True
    Bath()(part, DT, env)
    assert part.q[0][0].tolist() == Q
    assert part.force.is_fresh


def test_flat_space_constrains_nothing() -> None:
    part, _, _ = make()
    flat = Flat()
    flat.project_tangent(part)
    flat.retract(part, part.q)
    assert (part.q[0][0].tolist(), part.p[0][0].tolist()) == (Q, P)
    assert flat.residual(part).tolist() == [0.0]
    assert flat.is_flat


def test_variables_are_what_a_step_carries() -> None:
    part, _, _ = make()
    part.aux["xi"] = [vector([0.2, 0.6])]
    assert [t[0].tolist() for t in part.variables()] == [Q, P, [0.2, 0.6]]


def test_gain_zero_reads_nothing() -> None:
    x = vector(P)
    decay_add_([x], [torch.full_like(x, math.nan)], 0.5, 0.0)
    assert x[0].tolist() == pytest.approx([0.4, 0.15], rel=1e-15)


@pytest.mark.parametrize("decay", [0.0, 0.6])
@pytest.mark.parametrize("gain", [0.0, -0.7])
def test_one_pass_map_with_and_without_the_kernel(decay: float, gain: float) -> None:
    q, p, x, drift = 0.25, -1.5, 2.5, 0.375
    for packed in (False, True):
        qs, ps, xs = ([torch.tensor([[v]])] for v in (q, p, x))
        kick_drift_(qs, ps, xs, decay, gain, drift, packed)
        expected = decay * p + gain * x
        assert ps[0].item() == pytest.approx(expected, rel=1e-6)
        assert qs[0].item() == pytest.approx(q + drift * expected, rel=1e-6)


def test_packed_means_float32_and_contiguous() -> None:
    plain = torch.zeros(4, 6)
    assert is_packed([plain], [plain, plain])
    assert not is_packed([plain], [plain.double()])
    assert not is_packed([plain, plain.T])


def test_dot_sums_per_walker_over_all_tensors() -> None:
    xs = [torch.tensor([[1.5, 2.0], [0.5, -3.0]]), torch.tensor([[4.0], [2.5]])]
    ys = [torch.tensor([[2.0, 0.5], [4.0, 1.5]]), torch.tensor([[-0.5], [3.0]])]
    assert dot(xs, ys).tolist() == pytest.approx([2.0, 5.0])


def test_choose_puts_back_the_walkers_that_lost() -> None:
    x, y = torch.full((3, 2, 2), 1.5), torch.full((3, 2, 2), -2.5)
    choose_(torch.tensor([True, False, True]), [x], [y])
    assert x[:, 0, 0].tolist() == [1.5, -2.5, 1.5]


@pytest.mark.parametrize("size", [3, 1 << 15])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nonfinite_elements_are_found_wherever_they_are(size: int, bad: float) -> None:
    xs = [torch.zeros(size), torch.zeros(2), torch.zeros(size)]
    assert all_finite(xs)
    for x in xs:
        x[-1] = bad
        assert not all_finite(xs)
        x[-1] = 0.0


def test_finite_numbers_whose_sum_overflows_are_finite() -> None:
    assert all_finite([torch.full((4,), 3e38)])
