"""Words: where they are cut, what their pieces add up to, what they refuse."""

import pytest
import torch

from thermograd._errors import WordError
from thermograd.claims import Claims
from thermograd.flows import alphabet
from thermograd.integrators import CutIntegrator, get, names
from thermograd.splitting import Stage, Word, nest

from .worlds import H, World, assert_close, normals, positions, tape, uniforms, world

# the pieces before and after the force, from the rule in docs/developer/design.md
CUTS = {
    "BAOAB": ("BAOA", "B"),
    "OBA": ("O", "BA"),
    "OBABO": ("OBA", "BO"),
    "ABOBA": ("A", "BOBA"),
    "ABO": ("A", "BO"),
    "BAO": ("", "BAO"),
    "BABO": ("BA", "BO"),
    "OABAO": ("OA", "BAO"),
    "BAOA": ("", "BAOA"),
    "BAB": ("BA", "B"),
    "BAOAOAB": ("BAOAOA", "B"),
    "OBBA": ("O", "BBA"),
    "AOBOA": ("AO", "BOA"),
}
UNCUT = {"ABABA": 2, "BABAB": 2, "ABAOBA": 2}


def start(word: str | Word, seed: int) -> World:
    noise = tape(normals(seed), uniforms(seed))
    return world(word, noise, positions(seed), positions(seed + 1))


def spell(run: World, letters: str, word: str, h: float) -> None:
    """Advance by single flows, each letter with an equal share of the step."""
    known = alphabet()
    for letter in letters:
        known[letter](run.part, 1.0 / word.count(letter) * h, run.env)


def cut(run: World) -> CutIntegrator:
    assert isinstance(run.method, Word)
    return run.method


def assert_same(one: World, two: World) -> None:
    for a, b in zip(one.columns(), two.columns(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("word", CUTS)
def test_before_and_after_hold_these_letters(word: str, seed: int) -> None:
    before, after = CUTS[word]
    ours, spelled = start(word, seed), start(word, seed)
    cut(ours).before(ours.part, H, ours.env)
    spell(spelled, before, word, H)
    assert_same(ours, spelled)
    cut(ours).after(ours.part, H, ours.env)
    spell(spelled, after, word, H)
    assert_same(ours, spelled)


@pytest.mark.parametrize("word", CUTS)
def test_before_then_after_is_a_step_bitwise(word: str, seed: int) -> None:
    whole, pieces = start(word, seed), start(word, seed)
    for h in (H, 0.34, 0.13):
        whole.run(h)
        cut(pieces).before(pieces.part, h, pieces.env)
        cut(pieces).after(pieces.part, h, pieces.env)
    assert_same(whole, pieces)


@pytest.mark.parametrize("word", CUTS)
def test_cycle_is_after_then_before(word: str, seed: int) -> None:
    old, new = 0.34, H
    joined, pieces = start(word, seed), start(word, seed)
    method = cut(joined)
    if method.before_drifts:
        for run in (joined, pieces):
            method.before(run.part, old, run.env)
        method.cycle(joined.part, old, new, joined.env)
        method.after(pieces.part, old, pieces.env)
        method.before(pieces.part, new, pieces.env)
    else:
        method.cycle(joined.part, old, new, joined.env)
        method.before(pieces.part, new, pieces.env)
        method.after(pieces.part, new, pieces.env)
    for a, b in zip(joined.columns(), pieces.columns(), strict=True):
        assert_close(a, b, 1e-14)


@pytest.mark.parametrize("word", CUTS)
def test_a_cut_word_evaluates_once_a_step(word: str, seed: int) -> None:
    run = start(word, seed)
    run.run(H)
    first = run.evaluator.counts[None]
    run.run(H, H, H)
    assert run.evaluator.counts[None] - first == 3


@pytest.mark.parametrize("word", CUTS)
def test_drift_before_the_force_is_seen(word: str) -> None:
    assert Word.from_word(word).before_drifts == ("A" in CUTS[word][0])


@pytest.mark.parametrize("name", sorted(set(names()) - {"hmc_randomised"}))
def test_claimed_gradients_are_those_evaluated(name: str, seed: int) -> None:
    run = start(name, seed)
    run.run(H)
    first = dict(run.evaluator.counts)
    run.run(H, H, H)
    spent = {term: run.evaluator.counts[term] - first[term] for term in first}
    assert spent == {term: 3 * n for term, n in get(name).claims.gradients_per_step.items()}


@pytest.mark.parametrize(("word", "count"), UNCUT.items())
def test_words_with_more_forces_are_not_cut(word: str, count: int) -> None:
    method = Word.from_word(word)
    assert not method.is_cut
    assert method.claims.gradients_per_step == {None: count}
    run = start(word, 0)
    message = f"'{word}' needs {count} gradients a step, so it cannot be cut"
    with pytest.raises(WordError, match=message):
        method.before(run.part, H, run.env)
    with pytest.raises(WordError, match=message):
        method.after(run.part, H, run.env)
    with pytest.raises(WordError, match=message):
        method.cycle(run.part, H, H, run.env)


def test_gradient_count_overrides_a_false_claim() -> None:
    claims = Claims(gradients_per_step={None: 7})
    assert Word.from_word("ABABA", claims).claims.gradients_per_step == {None: 2}


def test_given_weights_are_used(seed: int) -> None:
    """A kick of 0.3 h, a drift, a kick of 0.7 h."""
    word = Word((Stage("B", 0.3), Stage("A", 1.0), Stage("B", 0.7)))
    ours, spelled = start(word, seed), start("BAB", seed)
    ours.run(H)
    flows = alphabet()
    for letter, weight in (("B", 0.3), ("A", 1.0), ("B", 0.7)):
        flows[letter](spelled.part, weight * H, spelled.env)
    assert_same(ours, spelled)


def test_negative_weights_are_allowed(seed: int) -> None:
    """A step forward, with a detour back, is the plain step of free motion and of the kick."""
    stages = (Stage("B", 0.5), Stage("B", -0.25), Stage("A", 1.0), Stage("B", 0.75))
    ours, plain = start(Word(stages), seed), start(Word((Stage("B", 0.25), *stages[2:])), seed)
    ours.run(H)
    plain.run(H)
    for a, b in zip(ours.columns(), plain.columns(), strict=True):
        assert_close(a, b, 1e-14)


@pytest.mark.parametrize(
    ("word", "answer"), [("BAOAB", True), ("OBA", False), ("ABOBA", True), ("BABO", False)]
)
def test_palindromes(word: str, answer: bool) -> None:
    assert Word.from_word(word).is_palindrome == answer


def test_palindrome_needs_equal_shares() -> None:
    assert not Word((Stage("B", 0.3), Stage("A", 1.0), Stage("B", 0.7))).is_palindrome


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("BAXAB", r"unknown letter 'X' at position 3 of 'BAXAB'; the alphabet here is '\w+'"),
        ("baoab", "unknown letter 'b' at position 1"),
        ("", "the word '' never drifts"),
        ("OBO", "the word 'OBO' never drifts: the parameters would never move. Add the letter 'A'"),
        ("AOA", "the word 'AOA' never kicks: the parameters would never feel the force"),
        (7, "a word is a string such as 'BAOAB'; got 7"),
    ],
)
def test_words_nobody_can_run(word: str, message: str) -> None:
    with pytest.raises(WordError, match=message):
        Word.from_word(word)


@pytest.mark.parametrize("weight", [0.5, -1.0, 2.0, float("nan"), float("inf")])
def test_shares_that_are_not_one_step(weight: float) -> None:
    with pytest.raises(WordError, match=f"the weights of 'A' in 'AB' sum to {weight:g}, not 1"):
        Word((Stage("A", weight), Stage("B", 1.0)))


def test_shares_of_a_component_stand_alone() -> None:
    stages = (Stage("B", 0.5, "slow"), Stage("A", 1.0), Stage("B", 0.5, "fast"))
    with pytest.raises(WordError, match=r"the weights of 'B\[slow\]' in .* sum to 0.5, not 1"):
        Word(stages)


def test_only_kicks_have_components() -> None:
    with pytest.raises(WordError, match=r"only a kick has a component; A\[slow\] at position 1"):
        Word((Stage("A", 1.0, "slow"), Stage("B", 1.0)))


def test_nest_divides_the_inner_step() -> None:
    outer = (Stage("B", 0.5, "slow"), Stage("B", 0.5, "slow"))
    inner = (Stage("A", 1.0), Stage("B", 1.0, "fast"))
    stages = nest(outer, inner, 3)
    assert [stage.letter for stage in stages] == list("BABABABB")
    assert [stage.weight for stage in stages[1:-1]] == pytest.approx([1 / 3] * 6, rel=1e-15)
    assert stages[0] == stages[-1] == outer[0]


@pytest.mark.parametrize("times", [0, -2, 2.5, "3"])
def test_nest_needs_a_number_of_inner_steps(times: int) -> None:
    outer, inner = (Stage("B", 0.5), Stage("B", 0.5)), (Stage("A", 1.0),)
    with pytest.raises(WordError, match="inner steps must be an integer above 0"):
        nest(outer, inner, times)


def test_nest_needs_two_halves() -> None:
    with pytest.raises(WordError, match="the outer stages must come in two halves; got 3"):
        nest((Stage("B", 0.5),) * 3, (Stage("A", 1.0),), 2)
