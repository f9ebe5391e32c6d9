"""The forms that compiled steps use are the functions they stand for."""

import torch

from thermograd.sampling._lowering import tanh


def test_tanh_is_right_to_a_few_roundings() -> None:
    size = torch.cat([torch.linspace(0, 15, 200_001), torch.logspace(-30, 0, 10_001)])[1:]
    x = torch.cat([-size, size])
    exact = torch.tanh(x.double())
    assert float((tanh(x).double() / exact - 1).abs().max()) < 5e-7


def test_tanh_at_zero_infinity_and_nan() -> None:
    found = tanh(torch.tensor([0.0, torch.inf, -torch.inf, torch.nan]))
    expected = torch.tensor([0.0, 1.0, -1.0, torch.nan])
    torch.testing.assert_close(found, expected, rtol=5e-7, atol=0.0, equal_nan=True)


def test_tanh_of_doubles_is_left_to_torch() -> None:
    assert tanh(torch.zeros(3, dtype=torch.float64)) is NotImplemented
