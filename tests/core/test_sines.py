"""Sines and cosines: by numpy where it can, in torch where the step is written down."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from thermograd._foreach import cosines, sines
from thermograd.noise import seeded

Wave = Callable[[list[Tensor], float], list[Tensor]]
Exact = Callable[[Tensor], Tensor]

RADIUS = 0.7


@pytest.mark.parametrize(("wave", "exact"), [(sines, torch.sin), (cosines, torch.cos)])
@pytest.mark.parametrize("shape", [(5,), (3, 400)])
def test_float32_agrees_with_float64(wave: Wave, exact: Exact, shape: tuple[int, ...]) -> None:
    x = 9.0 * torch.randn(shape, generator=seeded(3))
    expected = exact(x.double() / RADIUS)
    torch.testing.assert_close(wave([x], RADIUS)[0].double(), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("wave", "exact"), [(sines, torch.sin), (cosines, torch.cos)])
def test_a_traced_step_keeps_the_wave(wave: Wave, exact: Exact) -> None:
    traced = make_fx(lambda x: wave([x], RADIUS)[0])(torch.ones(4))
    x = torch.linspace(-3.0, 2.0, 4)
    torch.testing.assert_close(traced(x), exact(x / RADIUS))
