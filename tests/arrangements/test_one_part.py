"""An arrangement of one part is the method itself, and parts do not disturb each other."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

import thermograd
from thermograd.arrangements import Arrangement, PartMethod
from thermograd.integrators import CutIntegrator, names, resolve
from thermograd.noise import Gaussian, seeded
from thermograd.partitions import Partition
from thermograd.potentials.base import Evaluator
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Params
from thermograd.thermostat import Thermostat

from .world import STIFFNESS as K
from .world import Pair, network

THERMOSTAT = Thermostat(0.3, 0.4, "scaled", 0.2)
WORDS = ["ABO", "BAOAB", "ABOBA", "OBABO", "BAO", "BAEFEAB"]
CUT = [
    name for name in names() if isinstance(method := resolve(name), CutIntegrator) and method.is_cut
]


@pytest.mark.parametrize("method", [*CUT, *WORDS])
def test_one_part_is_the_method_bitwise(method: str) -> None:
    target = network(batch_size=7)
    partition = Partition(dict.fromkeys(target.names, "all"))
    spec = PartMethod(method, friction=0.7, temperature=0.02, mass=1.3, thermostat=THERMOSTAT)
    settings: dict[str, Any] = {
        "walkers": 3,
        "steps": 6,
        "seed": 2,
        "temperature": 0.02,
        "step_size": 0.1,
        "friction": 0.7,
        "mass": 1.3,
        "thermostat": THERMOSTAT,
        "compile": False,
        "progress": False,
    }
    plain = thermograd.sample(target, method, **settings)
    apart = thermograd.sample(target, Arrangement(partition, {"all": spec}), **settings)
    for name, draws in plain.posterior.items():
        assert (apart.posterior[name] == draws).all()
    assert plain.world.evaluate.counts == apart.world.evaluate.counts


def affine(num: int) -> tuple[Tensor, Tensor]:
    """Read the step of two parts at two temperatures off basis vectors, (q_a, q_b, p_a, p_b)."""
    heats = (0.7, 2.3)
    parts = {
        label: PartMethod("BAOAB", friction=g, temperature=heat, mass=m)
        for label, g, heat, m in zip("xy", (0.5, 1.9), heats, (1.3, 0.8), strict=True)
    }
    method = Arrangement(Partition({"a": "x", "b": "y"}), parts).bind(["a", "b"])
    size = 4 + num
    basis = torch.cat([torch.zeros(1, size), torch.eye(size)]).double()
    part = make_part(method, [basis[:, :1], basis[:, 1:2]])
    part.p = [basis[:, 2:3].clone(), basis[:, 3:4].clone()]

    class Columns(Gaussian):
        calls = 0

        def normal(self, like: Sequence[Tensor]) -> Params:
            self.calls += 1
            return [basis[:, 3 + self.calls : 4 + self.calls]]

    method.step(part, 0.4, Env(Columns(seeded(0)), Evaluator(Pair())))
    out = torch.cat([*part.q, *part.p], 1)
    columns = (out[1:] - out[0]).T
    return columns[:, :4], columns[:, 4:]


def test_two_parts_hold_their_own_temperatures_exactly() -> None:
    matrix, noise = affine(2)
    system = torch.eye(16, dtype=torch.float64) - torch.kron(matrix, matrix)
    law = torch.linalg.solve(system, (noise @ noise.T).flatten()).reshape(4, 4)
    # BAOAB: ⟨q²⟩ = T/k exactly, ⟨p²⟩ = mT (1 − h²k/4m)
    for index, (k, heat, mass) in enumerate(zip(K, (0.7, 2.3), (1.3, 0.8), strict=True)):
        assert float(law[index, index]) == pytest.approx(heat / k, rel=1e-12)
        momenta = mass * heat * (1 - 0.16 * k / (4 * mass))
        assert float(law[2 + index, 2 + index]) == pytest.approx(momenta, rel=1e-12)
    assert abs(float(law[0, 1])) < 1e-14


def test_infinite_friction_in_one_part_leaves_the_other_alone() -> None:
    def law(friction: float) -> Tensor:
        parts = {
            "x": PartMethod("BAOAB", friction=0.5, temperature=0.7),
            "y": PartMethod("BAOAB", friction=friction, temperature=0.0),
        }
        method = Arrangement(Partition({"a": "x", "b": "y"}), parts)
        start = [torch.full((2, 1), 0.4, dtype=torch.float64) for _ in range(2)]
        run = thermograd.sample(
            Pair(), method, walkers=2, steps=20, seed=1, step_size=0.3, start=start, progress=False
        )
        return torch.from_numpy(run.posterior["a"])

    assert torch.equal(law(0.9), law(math.inf))
