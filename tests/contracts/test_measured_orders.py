"""The orders that theory gives, as the contracts measure them."""

import pytest

from thermograd.integrators import Claims, from_word
from thermograd.testing.contracts.orders import local_order, weak_order
from thermograd.testing.contracts.stationary import measured_order

LANGEVIN = Claims(dynamics="langevin")


@pytest.mark.parametrize("word", ["BAOAB", "ABOBA", "OBABO", "OABAO"])
def test_palindromes_have_weak_order_2(word: str) -> None:
    assert weak_order(from_word(word, LANGEVIN)) == pytest.approx(2.0, abs=0.01)


@pytest.mark.parametrize("word", ["BAOA", "ABAO", "OBAB", "BABO", "OBA", "ABO", "BAAOB"])
def test_other_words_have_weak_order_1(word: str) -> None:
    assert weak_order(from_word(word, LANGEVIN)) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("word", ["BAOAB", "ABOBA", "OBABO", "OABAO"])
def test_palindromes_have_local_order_2(word: str) -> None:
    assert local_order(from_word(word, LANGEVIN)) == pytest.approx(2.0, abs=0.03)


@pytest.mark.parametrize("word", ["BAOA", "OBAB", "BABO", "BAAOB"])
def test_other_words_have_local_order_1(word: str) -> None:
    assert local_order(from_word(word, LANGEVIN)) == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize(
    ("word", "order"),
    [("BAOAB", 2), ("BABO", 2), ("ABAO", 2), ("OBAB", 2), ("BAOA", 1), ("OBA", 1), ("ABO", 1)],
)
def test_order_of_the_stationary_law(word: str, order: int) -> None:
    # a cyclic shift of a palindrome by a bath has its stationary order, though weak order 1
    assert measured_order(from_word(word, LANGEVIN)) == pytest.approx(order, abs=0.03)
