"""Finding methods: in the package, in files, in other distributions; what is refused."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from thermograd import _checks as checks
from thermograd._errors import (
    ClaimError,
    ParameterError,
    ThermogradError,
    UnknownNameError,
)
from thermograd._registry import FLOWS, INTEGRATORS, POTENTIALS
from thermograd.claims import Claims
from thermograd.flows import alphabet
from thermograd.integrators import check_noise, from_file, get, names, resolve
from thermograd.noise import Gaussian, ThreePoint, seeded
from thermograd.splitting import Word

METHOD = '''"""My method: bath around a drift and a kick.

More about it.
"""

from thermograd.splitting import Word

INTEGRATOR = Word.from_word("OABO")
'''


def test_every_member_is_a_file_with_a_summary() -> None:
    for registry in (INTEGRATORS, FLOWS, POTENTIALS):
        assert registry.names() == sorted(registry.names())
        assert all(registry.summary(name) for name in registry.names())


def test_names_hide_helpers() -> None:
    assert not [name for name in names() if name.startswith("_")]
    assert {"baoab", "hmc", "ra1"} <= set(names())


def test_alphabet_knows_the_letters() -> None:
    assert {letter: flow.letter for letter, flow in alphabet().items()} == {
        letter: letter for letter in alphabet()
    }
    assert set("ABO") <= set(alphabet())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("baobab", "baoab"), ("BAOBA2", "baoa"), ("leimkuler_matthews", "leimkuhler_matthews")],
)
def test_unknown_method_lists_close_matches(typed: str, meant: str) -> None:
    with pytest.raises(UnknownNameError, match=f"no integrator is called '{typed}'") as found:
        resolve(typed)
    text = str(found.value)
    assert repr(meant) in text.partition("Did you mean")[2].partition("?")[0]
    assert "A word is spelled in capitals from the alphabet" in text


@pytest.mark.parametrize("ask", [INTEGRATORS.get, INTEGRATORS.doc, INTEGRATORS.summary])
def test_registry_refuses_unknown_names(ask: Callable[[str], object]) -> None:
    with pytest.raises(UnknownNameError, match="no integrator is called '_base'"):
        ask("_base")


@pytest.mark.parametrize("name", ["BAOAB", "baoab", "Baoab"])
def test_names_are_found_in_any_case(name: str) -> None:
    assert resolve(name) is get("baoab")


def test_capitals_that_are_no_name_are_a_word() -> None:
    word = resolve("OABBAO")
    assert isinstance(word, Word)
    assert str(word) == "OABBAO"


def test_resolve_refuses_what_is_no_integrator() -> None:
    with pytest.raises(ThermogradError, match="is not an integrator; it needs claims"):
        resolve(3.5)  # pyright: ignore[reportArgumentType]


def test_file_outside_the_package(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(METHOD)
    assert str(from_file(path)) == "OABO"
    assert "mine" not in names()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("absent.py", None, "there is no file"),
        ("notes.txt", METHOD, "is not a Python file; give one that ends in .py"),
        ("empty.py", "", "defines no INTEGRATOR; end it with `INTEGRATOR = ...`"),
        ("broken.py", "import nowhere_at_all", "fails to import: ModuleNotFoundError: No module"),
        ("typo.py", "INTEGRATOR = (", "fails to import: SyntaxError"),
        ("number.py", "INTEGRATOR = 3.5", "number.py is not an integrator; it needs claims"),
        ("word.py", METHOD.replace("OABO", "OAXO"), "unknown letter 'X' at position 3 of 'OAXO'"),
    ],
)
def test_files_that_hold_no_method(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(ThermogradError, match=message.replace("(", r"\(")):
        from_file(path)


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An installed distribution that registers one integrator."""
    (tmp_path / "their_methods.py").write_text(METHOD)
    info = tmp_path / "their_methods-2.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-methods\nVersion: 2.3\n")
    points = "[thermograd.integrators]\ntheirs = their_methods:INTEGRATOR\n"
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(tmp_path)
    return "theirs"


def test_entry_point_is_a_member(plugin: str) -> None:
    assert plugin in names()
    assert str(get(plugin)) == "OABO"
    assert str(resolve(plugin)) == "OABO"
    assert INTEGRATORS.summary(plugin) == "My method: bath around a drift and a kick."
    assert INTEGRATORS.doc(plugin).endswith("More about it.")


class Strict:
    """An integrator of a stated claim, and nothing else."""

    has_momenta = False
    auxiliaries = ()

    def __init__(self, claims: Claims) -> None:
        self.claims = claims

    def init(self, part: object, env: object) -> None: ...

    def step(self, part: object, h: float, env: object) -> None: ...


THREE = ThreePoint(seeded(0))


@pytest.mark.parametrize("order", [None, 1, 2])
def test_three_point_serves_weak_order_two(order: int | None) -> None:
    check_noise(Strict(Claims(weak_order=order)), THREE)


@pytest.mark.parametrize("order", [3, 4])
def test_three_point_is_refused_above_weak_order_two(order: int) -> None:
    message = (
        f"claims weak order {order}, but the noise ThreePoint .* order 5; use noise='gaussian'"
    )
    with pytest.raises(ClaimError, match=message):
        check_noise(Strict(Claims(weak_order=order)), THREE)


@pytest.mark.parametrize("name", ["mala", "hmc", "hmc_randomised", "hmc_first_order"])
def test_three_point_is_refused_by_an_acceptance_test(name: str) -> None:
    with pytest.raises(ClaimError, match="claims an exact law, but the noise ThreePoint"):
        check_noise(get(name), THREE)


@pytest.mark.parametrize("name", names())
def test_gaussian_serves_all(name: str) -> None:
    check_noise(get(name), Gaussian(seeded(0)))


@pytest.mark.parametrize(
    ("check", "good", "bad", "said"),
    [
        (checks.positive, 0.3, [0, -0.3, math.nan, math.inf, "0.3", True], "a finite number above"),
        (checks.non_negative, 0, [-0.3, math.nan, math.inf, None], "a finite number, 0 or above"),
        (checks.positive_int, 3, [0, -3, 3.0, True, "3"], "an integer above 0"),
    ],
)
def test_numbers_outside_their_range(
    check: Callable[[object, str, str], object], good: object, bad: list[object], said: str
) -> None:
    assert check(good, "size", "box") == good
    for value in bad:
        with pytest.raises(ParameterError) as found:
            check(value, "size", "box")
        message = str(found.value)
        assert message.startswith(f"the 'size' of box must be {said}")
        assert message.endswith(f"; got {value!r}")


def test_choices_are_listed() -> None:
    assert checks.one_of("left", ("right", "left"), "side", "box") == "left"
    with pytest.raises(ParameterError, match="must be one of 'left', 'right'; got 'up'"):
        checks.one_of("up", ("right", "left"), "side", "box")


def test_errors_are_the_builtins_a_caller_expects() -> None:
    assert issubclass(ParameterError, ValueError)
    assert issubclass(UnknownNameError, LookupError)
    assert str(UnknownNameError("no quotes")) == "no quotes"


def test_two_claims_share_no_count() -> None:
    first, second = Claims(), Claims()
    assert first.gradients_per_step == {None: 1}
    assert first.gradients_per_step is not second.gradients_per_step
