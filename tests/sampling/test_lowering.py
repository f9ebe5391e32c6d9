"""The forms that compiled steps use are the functions they stand for."""

import pytest
import torch

from thermograd.noise import seeded
from thermograd.sampling._lowering import product, sum_and_product, tanh


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


@pytest.mark.parametrize(
    "shape", [(5, 1, 7), (5, 2, 7), (1, 6, 7), (2, 6, 7), (5, 6, 1), (5, 6, 2)]
)
@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_product_with_a_short_side(
    shape: tuple[int, int, int], batch: tuple[int, ...], is_transposed: bool
) -> None:
    rows, terms, columns = shape
    a = torch.randn(*batch, rows, terms, generator=seeded(2), dtype=torch.float64)
    b = torch.randn(*batch, terms, columns, generator=seeded(3), dtype=torch.float64)
    c = torch.randn(*batch, rows, columns, generator=seeded(4), dtype=torch.float64)
    if is_transposed:
        a, b = (x.mT.contiguous().mT for x in (a, b))
    torch.testing.assert_close(product(a, b), a @ b)
    torch.testing.assert_close(sum_and_product(c, a, b), c + a @ b)


def test_other_products_are_left_to_torch() -> None:
    a, b = torch.zeros(3, 4), torch.zeros(4, 5)
    assert product(a, b) is NotImplemented
    assert product(a[:0], b) is NotImplemented
    assert product(a[:1].half(), b.half()) is NotImplemented
    assert sum_and_product(torch.zeros(1, 5), a[:1], b, alpha=0.7) is NotImplemented


@pytest.mark.parametrize("num_columns", [3, 15])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_a_transposed_matrix_times_few_columns(num_columns: int, batch: tuple[int, ...]) -> None:
    a = torch.randn(*batch, 5, 20, generator=seeded(2), dtype=torch.float64).mT
    b = torch.randn(*batch, 5, num_columns, generator=seeded(3), dtype=torch.float64)
    torch.testing.assert_close(product(a, b), torch.einsum("...mk,...kn->...mn", a, b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (torch.ones(3, 20, 5), torch.ones(3, 5, 4)),  # not transposed
        (torch.ones(3, 5, 20).mT, torch.ones(3, 5, 16)),  # many columns
        (torch.ones(3, 5, 8).mT, torch.ones(3, 5, 4)),  # few rows
    ],
)
def test_products_that_suit_the_library_are_left_to_it(a: torch.Tensor, b: torch.Tensor) -> None:
    assert product(a, b) is NotImplemented
