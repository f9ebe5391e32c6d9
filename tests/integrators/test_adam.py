"""Adam equals torch's, as an integrator of walkers and as an optimizer."""

import pytest
import torch
from torch import Tensor, nn

from thermograd._errors import ParameterError
from thermograd.integrators.adam import adam
from thermograd.noise import Gaussian, seeded
from thermograd.optim import Langevin
from thermograd.potentials.base import Evaluator
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Params

W, STEPS, H = 3, 60, 0.07
K = torch.tensor((1.69, 0.8, 2.3), dtype=torch.float64)


class Well:
    """U = ½ Σ kᵢ qᵢ² + ¼ · 0.3 Σ qᵢ⁴."""

    def energy(self, q: Tensor) -> Tensor:
        return (K * q**2 / 2 + 0.3 * q**4 / 4).sum(-1)

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        out[0].copy_(-(K * q[0] + 0.3 * q[0] ** 3))
        return self.energy(q[0])


def start() -> Tensor:
    return torch.randn(W, 3, generator=seeded(2), dtype=torch.float64)


def torch_adam(beta1: float, beta2: float, eps: float) -> Tensor:
    q = nn.Parameter(start())
    opt = torch.optim.Adam([q], lr=H, betas=(beta1, beta2), eps=eps)
    for _ in range(STEPS):
        opt.zero_grad()
        Well().energy(q).sum().backward()
        opt.step()
    return q.detach()


@pytest.mark.parametrize(
    ("beta1", "beta2", "eps"), [(0.9, 0.999, 1e-8), (0.7, 0.95, 1e-3), (0.0, 0.9, 1e-8)]
)
def test_walkers_are_torch_adam(beta1: float, beta2: float, eps: float) -> None:
    method = adam(beta1, beta2, eps)
    part = make_part(method, [start()], mass=1.3)
    env = Env(Gaussian(seeded(0)), Evaluator(Well()))
    for _ in range(STEPS):
        method.step(part, H, env)
    expected = torch_adam(beta1, beta2, eps)
    torch.testing.assert_close(part.q[0], expected, rtol=1e-12, atol=1e-12)
    assert torch.equal(part.scalars["steps"], torch.full((W,), STEPS, dtype=torch.float64))


def test_optimizer_is_torch_adam() -> None:
    q = nn.Parameter(start())
    opt = Langevin([q], H, friction=0.0, temperature=0.0, word="adam")
    for _ in range(STEPS):
        opt.zero_grad()
        Well().energy(q).sum().backward()
        opt.step()
    torch.testing.assert_close(q.detach(), torch_adam(0.9, 0.999, 1e-8), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_low_precision_keeps_its_state_in_float32(dtype: torch.dtype) -> None:
    q = nn.Parameter(torch.full((20000,), 2.0, dtype=dtype))  # more than a tile
    opt = Langevin([q], H, friction=0.0, temperature=0.0, word="adam")
    for _ in range(STEPS):
        opt.zero_grad()
        q.float().square().sum().backward()
        opt.step()
    scalars = opt.state_dict()["scalars"][0]
    assert scalars["steps"].dtype is torch.float32
    assert float(scalars["steps"]) == STEPS
    assert float(q.detach().float().abs().max()) < 0.5


@pytest.mark.parametrize(
    ("settings", "said"),
    [((1.0, 0.9, 1e-8), "beta1"), ((0.9, -0.1, 1e-8), "beta2"), ((0.9, 0.9, 0.0), "eps")],
)
def test_bad_settings(settings: tuple[float, float, float], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        adam(*settings)
