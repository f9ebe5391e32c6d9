"""Every integrator against its published update rule, typed out in tests/reference."""

import pytest
import torch

from ..reference.updates import UPDATES, Walker
from .worlds import GAMMA, WALKERS, M, T, assert_close, normals, positions, tape, uniforms, world

STEPS = (0.21, 0.34, 0.13, 0.27)  # no coefficient may survive a change of step size


@pytest.mark.parametrize("name", UPDATES)
def test_integrator_follows_its_published_update(name: str, seed: int) -> None:
    q, p = positions(seed), positions(seed + 1)
    draws, flat = normals(seed), uniforms(seed)
    if name == "hmc_randomised":  # the length of the path is one draw for all walkers
        flat[::2] = flat[::2, :1]
    ours = world(name, tape(draws, flat), q, p)
    twins = [
        Walker(
            q[k].tolist(),
            p[k].tolist(),
            GAMMA,
            T,
            M,
            draws[:, k].tolist(),
            flat[:, k].tolist(),
        )
        for k in range(WALKERS)
    ]
    for h in STEPS:
        ours.run(h)
        for twin in twins:
            UPDATES[name](twin, h)
    q_end, p_end = ours.columns()
    assert_close(q_end, torch.tensor([w.q for w in twins], dtype=q.dtype), 1e-11)
    if ours.part.p:
        expected = torch.tensor([w.p for w in twins], dtype=q.dtype)
        assert_close(p_end, expected, 1e-11)
    if "acceptance" in ours.part.records:
        expected = torch.tensor([w.acceptance for w in twins], dtype=q.dtype)
        assert_close(ours.part.records["acceptance"], expected, 1e-11)
