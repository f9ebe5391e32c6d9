"""Methods that are others at an extreme of their parameters, step by step."""

import math

import pytest
import torch
from torch import Tensor

from thermograd.integrators import Integrator, get
from thermograd.integrators.sgd_momentum import sgd_momentum
from thermograd.integrators.sgd_momentum_i import sgd_momentum_i
from thermograd.integrators.sgd_momentum_ii import sgd_momentum_ii
from thermograd.testing.contracts.probe import Setting, Silence
from thermograd.testing.contracts.targets import coupled_quartic

MASS, TEMPERATURE = 1.3, 0.7
START = torch.tensor([[0.6, -0.45]], dtype=torch.float64)
STEPS = 40


def path(
    method: Integrator,
    h: float,
    friction: float,
    temperature: float,
    start: Tensor,
    xi: list[Tensor] | None = None,
) -> Tensor:
    """Return the positions of a run, shape (steps, 2)."""
    setting = Setting(method, coupled_quartic(), friction, temperature, MASS)
    states, visited = start, list[Tensor]()
    for k in range(STEPS):
        states = (
            setting.step(states, h, Silence()) if xi is None else setting.play(states, h, xi[k])
        )
        visited.append(states[0, :2])
    return torch.stack(visited)


def at_rest(start: Tensor) -> Tensor:
    return torch.cat([start, torch.zeros_like(start)], 1)


@pytest.mark.parametrize(("h", "friction"), [(0.3, 1.7), (0.1, 0.9)])
@pytest.mark.parametrize("kind", ["i", "ii", "torch"])
def test_oba_without_temperature_is_sgd_with_momentum(kind: str, h: float, friction: float) -> None:
    momentum = math.exp(-friction * h)
    other, lr = {
        "i": (sgd_momentum_i(momentum), h * h),
        "ii": (sgd_momentum_ii(momentum), h * h / (1 - momentum)),
        "torch": (sgd_momentum(momentum), h * h),
    }[kind]
    oba = path(get("oba"), h, friction, 0.0, at_rest(START))
    assert (oba - path(other, lr, friction, 0.0, at_rest(START))).abs().max() < 1e-14


@pytest.mark.parametrize(("h", "friction"), [(0.3, 1.7), (0.1, 0.9)])
def test_oba_without_temperature_is_torch_sgd(h: float, friction: float) -> None:
    q = START[0].clone().requires_grad_()
    optimizer = torch.optim.SGD([q], lr=h * h / MASS, momentum=math.exp(-friction * h))
    k, a = coupled_quartic().quadratic, coupled_quartic().quartic
    visited: list[Tensor] = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        (q @ k @ q / 2 + q.square() @ a @ q.square() / 4).backward()
        optimizer.step()
        visited.append(q.detach().clone())
    oba = path(get("oba"), h, friction, 0.0, at_rest(START))
    assert (oba - torch.stack(visited)).abs().max() < 1e-14


def noise() -> list[Tensor]:
    """Variates for all steps, without a generator."""
    spread = 1.4 * torch.sin(2.4 * torch.arange(2 * STEPS + 2, dtype=torch.float64))
    return list(spread.reshape(-1, 1, 2))


def test_oba_at_infinite_friction_is_euler_maruyama_at_half_the_temperature() -> None:
    h, xi = 0.3, noise()
    oba = path(get("oba"), h, math.inf, TEMPERATURE, at_rest(START), xi)
    other = path(get("euler_maruyama"), h * h, math.inf, TEMPERATURE / 2, START, xi)
    assert (oba - other).abs().max() < 1e-14


def test_baoab_at_infinite_friction_is_leimkuhler_matthews() -> None:
    h, (first, *xi) = 0.3, noise()
    setting = Setting(get("baoab"), coupled_quartic(), mass=MASS)
    force = torch.empty_like(START)
    setting.target.potential.force([START], out=[force])
    momenta = math.sqrt(MASS * TEMPERATURE) * first + h / 2 * force
    baoab = path(get("baoab"), h, math.inf, TEMPERATURE, torch.cat([START, momenta], 1), xi)
    start = torch.cat([START, first], 1)
    other = path(get("leimkuhler_matthews"), h * h / 2, math.inf, TEMPERATURE, start, xi)
    assert (baoab - other).abs().max() < 1e-14


def test_abo_at_infinite_friction_forgets_its_kicks() -> None:
    h, xi = 0.3, noise()
    abo = path(get("abo"), h, math.inf, TEMPERATURE, at_rest(START), xi)
    sizes = h * math.sqrt(TEMPERATURE / MASS)
    walk = START + sizes * torch.cat(xi[: STEPS - 1]).cumsum(0)
    assert (abo[1:] - walk).abs().max() < 1e-13


def test_euler_maruyama_without_temperature_is_gradient_descent() -> None:
    cold = path(get("euler_maruyama"), 0.1, 0.8, 0.0, START)
    assert torch.equal(cold, path(get("gradient_descent"), 0.1, 0.8, TEMPERATURE, START))
