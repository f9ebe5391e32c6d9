"""What must not matter: how coordinates are packed, their order, other walkers, precision."""

import pytest
import torch

from thermograd.integrators import names

from ..reference.chain import Chain
from .worlds import H, assert_close, normals, positions, tape, uniforms, world

AVERAGING = {"ra0", "ra1"}  # the first tensor of a part is special to them


@pytest.mark.parametrize("name", sorted(set(names()) - AVERAGING))
@pytest.mark.parametrize("sizes", [(3,), (2, 1), (1, 1, 1)])
def test_packing_in_tensors_does_not_matter(name: str, sizes: tuple[int, ...], seed: int) -> None:
    q, p = positions(seed), positions(seed + 1)
    draws, flat = normals(seed), uniforms(seed)
    ours = world(name, tape(draws, flat), q, p)
    other = world(name, tape(draws, flat, sizes), q, p, sizes=sizes)
    for run in (ours, other):
        run.run(H, 0.34, 0.13)
    for a, b in zip(ours.columns(), other.columns(), strict=True):
        assert_close(a, b)


@pytest.mark.parametrize("name", sorted(set(names()) - AVERAGING))
def test_order_of_coordinates_does_not_matter(name: str, seed: int) -> None:
    order = (2, 0, 1)
    inverse = torch.tensor([order.index(k) for k in range(3)])
    q, p = positions(seed), positions(seed + 1)
    draws, flat = normals(seed), uniforms(seed)
    ours = world(name, tape(draws, flat), q, p)
    other = world(
        name,
        tape(draws[..., inverse], flat),
        q[:, inverse],
        p[:, inverse],
        target=Chain(order=order),
    )
    for run in (ours, other):
        run.run(H, 0.34, 0.13)
    for a, b in zip(ours.columns(), other.columns(), strict=True):
        assert_close(a[:, inverse], b)


@pytest.mark.parametrize("name", names())
def test_a_walker_is_alone(name: str, seed: int) -> None:
    q, p, chosen = positions(seed), positions(seed + 1), slice(1, 2)
    draws, flat = normals(seed), uniforms(seed)
    if name == "hmc_randomised":  # the length of the path is one draw for all walkers
        flat[::2] = flat[::2, :1]
    together = world(name, tape(draws, flat), q, p)
    alone = world(name, tape(draws[:, chosen], flat[:, chosen]), q[chosen], p[chosen])
    for run in (together, alone):
        run.run(H, 0.34, 0.13)
    for a, b in zip(together.columns(), alone.columns(), strict=True):
        assert_close(a[chosen], b, 1e-14)


@pytest.mark.parametrize("name", names())
def test_float32_follows_float64(name: str, seed: int) -> None:
    q, p = positions(seed), positions(seed + 1)
    draws, flat = normals(seed), uniforms(seed)
    ends: list[torch.Tensor] = []
    for dtype in (torch.float32, torch.float64):
        noise = tape(draws.to(dtype), flat.to(dtype))
        run = world(name, noise, q.to(dtype), p.to(dtype))
        run.run(H, 0.34, 0.13)
        assert {t.dtype for t in run.part.variables()} == {dtype}
        ends.append(torch.cat(run.columns()).double())
    torch.testing.assert_close(*ends, rtol=0, atol=2e-5)


def test_one_pass_kernel_of_a_packed_part_agrees(seed: int) -> None:
    """float32 parts may run a kick or a bath and its drift in one fused pass."""
    q, p = positions(seed), positions(seed + 1)
    ends: list[torch.Tensor] = []
    for packed in (True, False):
        noise = tape(normals(seed).float(), uniforms(seed).float(), (3,))
        run = world("baoab", noise, q.float(), p.float(), sizes=(3,))
        run.part.is_packed = packed
        run.run(H, 0.34, 0.13)
        ends.append(torch.cat(run.columns()))
    torch.testing.assert_close(*ends, rtol=0, atol=2e-6)
