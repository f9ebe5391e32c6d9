"""Noise sources: laws, streams that continue, tapes, owned generators."""

import copy
import math

import pytest
import torch
from torch import Tensor

from thermograd._errors import EvaluationError, ParameterError, StateError, UnknownNameError
from thermograd.noise import (
    Gaussian,
    NoiseSource,
    Tape,
    ThreePoint,
    derived_generator,
    make,
    seeded,
)
from thermograd.testing import assert_mean

KINDS = ["gaussian", "three_point"]
DIGITS = 8  # variates cut from one 32-bit word
STREAMS, LENGTH = 64, 20_000

# E ξⁿ: Gaussian (n − 1)!!, three-point ⅓·3^{n/2}
MOMENTS = {
    "gaussian": {1: 0.0, 2: 1.0, 3: 0.0, 4: 3.0, 5: 0.0, 6: 15.0},
    "three_point": {1: 0.0, 2: 1.0, 3: 0.0, 4: 3.0, 5: 0.0, 6: 9.0},
}


def squared_moment(kind: str, n: int) -> float:
    """Return E ξ²ⁿ."""
    if kind == "gaussian":
        return float(math.prod(range(1, 2 * n, 2)))
    return 3.0**n / 3


def draw(source: NoiseSource, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return source.normal([torch.empty(shape, dtype=dtype)])[0].clone()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("digit", range(DIGITS))
def test_three_point_probabilities_of_every_digit(
    digit: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Count the words that give each value, from where the value changes.

    Digit k of a word w is a function of x = 6ᵏ w mod 2³², and x runs through the multiples of 2ᵏ
    equally often. It is monotone in x, so looking around its two jumps counts them all.
    """
    step, power = 2**digit, 3**digit
    odd_range = 2 ** (32 - digit)
    inverse = pow(power, -1, odd_range)
    jump = 2**32 // 3 // step
    near = torch.arange(-300, 301)
    values = torch.cat([-jump + near, jump + near]) * step  # x, in [−2³¹, 2³¹)
    words = [(int(x) // step * inverse) % odd_range for x in values]
    signed = torch.tensor([w - 2**32 if w >= 2**31 else w for w in words], dtype=torch.int32)
    monkeypatch.setattr(ThreePoint, "_words", lambda self, count, device: signed)
    source = ThreePoint(seeded(0))
    out = draw(source, DIGITS, len(words), dtype=dtype)[digit]
    up, down = out > 0, out < 0
    assert bool((up == (values >= values[up].min())).all())
    assert bool((down == (values <= values[down].max())).all())
    total = 2**32 // step
    num_up = (2**31 - int(values[up].min())) // step
    num_down = (int(values[down].max()) + 2**31) // step + 1
    assert num_up / total == pytest.approx(1 / 6, abs=1e-7)
    assert num_down / total == pytest.approx(1 / 6, abs=1e-7)
    torch.testing.assert_close(out[up], torch.full_like(out[up], math.sqrt(3)))


@pytest.mark.statistical
@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("kind", KINDS)
def test_moments(kind: str, order: int, seed: int) -> None:
    """A false alarm at 1e-6; sees 10 standard errors of the mean of all draws."""
    source = make(kind, seeded(seed))
    powers = draw(source, STREAMS, LENGTH).pow(order).mean(1)
    expected = MOMENTS[kind][order]
    spread = math.sqrt(squared_moment(kind, order) - expected**2)
    if spread == 0.0:
        pytest.fail("no moment here is the same for every draw")
    assert_mean(powers, expected, resolves=10 * spread / math.sqrt(STREAMS * LENGTH))


@pytest.mark.statistical
@pytest.mark.parametrize("lag", [1, 2, 3])
def test_three_point_digits_of_one_word_are_independent(lag: int, seed: int) -> None:
    """E of products, and of products of squares, of digits `lag` apart; sees 12 errors."""
    blocks = draw(ThreePoint(seeded(seed)), DIGITS, STREAMS, LENGTH)
    first, second = blocks[:-lag], blocks[lag:]
    error = 1 / math.sqrt(STREAMS * LENGTH * len(first))
    assert_mean((first * second).mean((0, 2)), 0.0, resolves=12 * error)
    squares = (first.square() * second.square()).mean((0, 2))
    assert_mean(squares, 1.0, resolves=12 * math.sqrt(8) * error)  # E ξ⁴η⁴ − 1 = 8


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_draws_come_in_the_shapes_and_dtype_asked_for(kind: str, dtype: torch.dtype) -> None:
    like = [torch.empty((3, 5), dtype=dtype), torch.empty(7, dtype=dtype)]
    drawn = make(kind, seeded(2)).normal(like)
    assert [tuple(t.shape) for t in drawn] == [(3, 5), (7,)]
    assert {t.dtype for t in drawn} == {dtype}


def test_three_point_in_half_precision_takes_three_values() -> None:
    values = set(draw(ThreePoint(seeded(2)), 4000, dtype=torch.bfloat16).tolist())
    root = float(torch.tensor(math.sqrt(3), dtype=torch.bfloat16))
    assert values == {-root, 0.0, root}


@pytest.mark.parametrize("kind", KINDS)
def test_state_continues_bitwise(kind: str) -> None:
    source = make(kind, seeded(3))
    draw(source, 13)
    source.uniform(torch.empty(4))
    state = {name: tensor.clone() for name, tensor in source.state_dict().items()}
    expected = [draw(source, 11), source.uniform(torch.empty(5)), draw(source, 2, 9)]
    other = make(kind, seeded(99))
    draw(other, 17)
    other.load_state_dict(state)
    again = [draw(other, 11), other.uniform(torch.empty(5)), draw(other, 2, 9)]
    assert all(torch.equal(a, b) for a, b in zip(expected, again, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_seed_decides_the_stream(kind: str) -> None:
    first, same, other = (draw(make(kind, seeded(s)), 50) for s in (4, 4, 5))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("kind", KINDS)
def test_deepcopy_continues_alike_and_apart(kind: str) -> None:
    source = make(kind, seeded(6))
    draw(source, 8)
    twin = copy.deepcopy(source)
    ahead = draw(source, 21)
    assert torch.equal(draw(twin, 21), ahead)
    kept = source.normal([torch.zeros(21)])[0]
    before = kept.clone()
    for _ in range(2):  # the first of these draws the same numbers
        twin.normal([torch.zeros(21)])
    assert torch.equal(kept, before)


@pytest.mark.parametrize("kind", KINDS)
def test_uniform_fills_the_unit_interval(kind: str) -> None:
    u = make(kind, seeded(7)).uniform(torch.empty(20_000, dtype=torch.float64))
    assert 0.0 <= float(u.min()) < 1e-2
    assert 1 - 1e-2 < float(u.max()) < 1.0


def test_matched_moments_are_those_of_the_table() -> None:
    assert Gaussian(seeded(0)).matched_moments == math.inf
    agree = [n for n in range(1, 7) if MOMENTS["gaussian"][n] == MOMENTS["three_point"][n]]
    assert ThreePoint(seeded(0)).matched_moments == max(agree)


def test_make_hands_back_a_source() -> None:
    source = Tape([])
    assert make(source) is source


def test_make_lists_close_matches() -> None:
    with pytest.raises(UnknownNameError, match=r"'gausian'\. Did you mean 'gaussian'\?"):
        make("gausian")


def test_make_refuses_what_is_no_source() -> None:
    with pytest.raises(ParameterError, match=r"'noise' of make must be a name or a NoiseSource"):
        make(3.5)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("kind", KINDS)
def test_state_of_another_kind_is_refused(kind: str) -> None:
    source = make(kind, seeded(8))
    before = draw(copy.deepcopy(source), 9)
    with pytest.raises(StateError, match="saved by another kind of noise source"):
        source.load_state_dict({"position": torch.tensor([2, 3])})
    assert torch.equal(draw(source, 9), before)


def test_tape_plays_in_order_and_runs_out() -> None:
    first, second = torch.tensor([0.3, -0.2]), torch.tensor([1.7, 0.4])
    source = Tape([[first], [second]], [torch.tensor([0.25])])
    like = torch.empty(2)
    assert torch.equal(source.normal([like])[0], first)
    assert torch.equal(source.normal([like])[0], second)
    with pytest.raises(EvaluationError, match="the tape has 2 draws and all are used"):
        source.normal([like])
    assert source.uniform(torch.empty(1)).item() == 0.25
    with pytest.raises(EvaluationError, match="the tape has 1 uniforms, all used"):
        source.uniform(torch.empty(1))


def test_tape_refuses_other_shapes_and_stays() -> None:
    source = Tape([[torch.tensor([0.3, -0.2])]])
    with pytest.raises(EvaluationError, match=r"draw 0 on the tape has shapes \[\(2,\)\]"):
        source.normal([torch.empty(3)])
    assert source.normal([torch.empty(2)])[0].tolist() == pytest.approx([0.3, -0.2])


def test_tape_winds_back() -> None:
    source = Tape([[torch.tensor([0.3])], [torch.tensor([0.6])]], [torch.tensor([0.25])])
    source.normal([torch.empty(1)])
    state = source.state_dict()
    source.normal([torch.empty(1)])
    source.uniform(torch.empty(1))
    source.load_state_dict(state)
    assert source.normal([torch.empty(1)])[0].item() == pytest.approx(0.6)
    assert source.uniform(torch.empty(1)).item() == 0.25


def test_derived_generator_reads_the_global_one_and_leaves_it() -> None:
    before = torch.get_rng_state()
    first, second = derived_generator("cpu"), derived_generator("cpu")
    assert torch.equal(torch.get_rng_state(), before)
    assert first.initial_seed() == second.initial_seed()


@pytest.mark.usefixtures("global_rng")
def test_derived_generator_follows_manual_seed_and_draws() -> None:
    torch.manual_seed(11)
    first = derived_generator("cpu").initial_seed()
    torch.randn(1)
    later = derived_generator("cpu").initial_seed()
    torch.manual_seed(11)
    again = derived_generator("cpu").initial_seed()
    assert first == again != later
