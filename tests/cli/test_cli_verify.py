"""`thermograd verify`: names, words, and files outside the package."""

from pathlib import Path

import pytest
from command import BAOAB_AGAIN, thermograd

from thermograd._registry import GEOMETRIES
from thermograd.cli import _catalogue


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(BAOAB_AGAIN)
    return path


def test_registered_method_is_true() -> None:
    said = thermograd("verify", "baoab")
    assert said.code == 0
    assert "FALSE" not in said.out
    assert said.out.splitlines()[-1].startswith("baoab: every claim is true (")


@pytest.mark.parametrize(
    ("word", "claims"),
    [
        ("BABO", {"weak_order": 1, "stationary_order": 2, "exact_marginals": ["p"]}),
        ("OBAB", {"weak_order": 1, "is_time_reversible": True, "is_symplectic": True}),
        ("AOBOA", {"weak_order": 2, "is_time_reversible": True}),
    ],
)
def test_what_holds_of_a_word_is_found(word: str, claims: dict[str, object]) -> None:
    data = thermograd("verify", word, "--json").data
    found = data["methods"][0]["claims"]
    assert data["ok"] is True
    assert {name: found[name] for name in claims} == claims


def test_claims_of_a_word_are_printed_as_code() -> None:
    said = thermograd("verify", "BABO")
    assert said.code == 0
    code = said.out.splitlines()[-1]
    assert code.startswith('Claims(dynamics="langevin", weak_order=1, stationary_order=2')


def test_verify_as_json() -> None:
    data = thermograd("verify", "obabo", "--json").data
    assert set(data) == {"methods", "ok"}
    (method,) = data["methods"]
    assert set(method) == {"name", "claims", "ok", "verdicts"}
    assert (method["name"], method["ok"]) == ("obabo", True)
    assert method["verdicts"]
    for verdict in method["verdicts"]:
        assert set(verdict) == {"contract", "claim", "measured", "expected", "ok"}
        assert verdict["ok"] is True


def test_new_word_in_ten_lines_outside_the_package(mine: Path) -> None:
    code = [line for line in mine.read_text().partition('"""\nfrom')[2].splitlines() if line]
    assert len(code) <= 10
    said = thermograd("verify", str(mine))
    assert said.code == 0
    assert "mine: every claim is true" in said.out


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ('frozenset({"q"})', 'frozenset({"q", "p"})'),
        ('"BAOAB"', '"BAOA"'),
        ("is_symplectic=True", "is_symplectic=False"),  # too modest is false too
    ],
)
def test_false_claim_exits_1(mine: Path, true: str, false: str) -> None:
    assert true in mine.read_text()
    mine.write_text(mine.read_text().replace(true, false))
    said = thermograd("verify", str(mine))
    assert said.code == 1
    assert "FALSE" in said.out
    assert "checks failed" in said.out.splitlines()[-1]
    assert thermograd("verify", str(mine), "--json").data["ok"] is False


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x = 3\n", "defines no INTEGRATOR"),
        ("INTEGRATOR = 3\n", "is not an integrator"),
        ("def f(:\n", "is not Python: invalid syntax"),
        ("import nowhere_to_be_found\n", "fails to import: ModuleNotFoundError"),
        ("from thermograd.integrators import from_word as w\nINTEGRATOR = w('AO')", "never kicks"),
    ],
)
def test_unusable_file_is_one_line_and_2(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "unusable.py"
    path.write_text(text)
    said = thermograd("verify", str(path))
    assert said.code == 2
    assert error in said.err
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1


def test_missing_file(tmp_path: Path) -> None:
    said = thermograd("verify", str(tmp_path / "none.py"))
    assert said.code == 2
    assert "there is no file" in said.err


def test_a_potential_has_no_contracts() -> None:
    said = thermograd("verify", "Harmonic")
    assert said.code == 2
    assert "'Harmonic' is a potential; contracts are for integrators" in said.err


def test_an_arrangement_has_no_contracts() -> None:
    said = thermograd("verify", "adlala")
    assert said.code == 2
    assert "'adlala' is an arrangement; contracts are for integrators" in said.err


def test_all_covers_the_geometries(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = _catalogue.names

    def names(kind: str) -> list[str]:
        return ["sgd"] if kind == "integrators" else everything(kind)

    monkeypatch.setattr(_catalogue, "names", names)
    data = thermograd("verify", "--all", "--json").data
    found = [method["name"] for method in data["methods"]]
    assert found == ["sgd", *GEOMETRIES.names()]
    assert all(method["verdicts"] for method in data["methods"])
    assert data["ok"] is True


@pytest.mark.parametrize("words", [["verify"], ["verify", "baoab", "--all"]])
def test_name_or_all_but_not_both(words: list[str]) -> None:
    said = thermograd(*words)
    assert said.code == 2
    assert "or --all" in said.err
