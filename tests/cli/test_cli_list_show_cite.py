"""`thermograd list`, `show`, `cite`, and what all commands have in common."""

import pytest
from command import BAOAB_AGAIN, thermograd

from thermograd import __version__
from thermograd.integrators import names


def test_version() -> None:
    assert thermograd("--version").out == f"thermograd {__version__}\n"


def test_help_names_every_command() -> None:
    said = thermograd("--help")
    assert said.code == 0
    for command in ("list", "show", "verify", "cite", "demo", "fetch"):
        assert f"\n  {command} " in said.out


@pytest.mark.parametrize("words", [["lst"], ["show"], ["list", "--what"], ["verify"]])
def test_wrong_usage_exits_2(words: list[str]) -> None:
    said = thermograd(*words)
    assert said.code == 2
    assert said.err
    assert "Traceback" not in said.err


def test_list_has_a_line_for_every_integrator_and_says_how_to_add_one() -> None:
    lines = thermograd("list").out.splitlines()
    assert [line.split()[0] for line in lines[: len(names())]] == names()
    rest = "\n".join(lines[len(names()) :])
    assert "thermograd verify my_method.py" in rest
    assert '[project.entry-points."thermograd.integrators"]' in rest


@pytest.mark.parametrize(
    ("kind", "member"),
    [
        ("integrators", "baoab"),
        ("flows", "kick"),
        ("potentials", "DoubleWell"),
        ("noises", "three_point"),
    ],
)
def test_list_as_json(kind: str, member: str) -> None:
    data = thermograd("list", kind, "--json").data
    assert data["kind"] == kind
    found = {entry["name"]: entry["summary"] for entry in data["members"]}
    assert list(found) == sorted(found)
    assert len(found[member]) > 10


def test_list_of_an_unknown_kind_names_the_close_ones() -> None:
    said = thermograd("list", "potential")
    assert said.code == 2
    assert said.err.startswith("error: no kind is called 'potential'. Did you mean 'potentials'?")


def test_show_prints_docstring_stages_claims_and_limits() -> None:
    said = thermograd("show", "baoab")
    assert said.code == 0
    assert "p ← p − ½h ∇U(q)" in said.out
    assert "  B(1/2) A(1/2) O A(1/2) B(1/2)\n" in said.out
    assert "  exact marginals     q\n" in said.out
    assert "friction = ∞: leimkuhler_matthews" in said.out


def test_show_as_json() -> None:
    data = thermograd("show", "OBA", "--json").data
    assert set(data) == {"name", "kind", "doc", "stages", "claims"}
    assert (data["name"], data["kind"]) == ("oba", "integrator")
    assert [stage["letter"] for stage in data["stages"]] == ["O", "B", "A"]
    assert data["claims"]["weak_order"] == 1
    assert data["claims"]["gradients_per_step"] == {"all": 1}
    assert data["claims"]["limits"][-1]["method"] == "euler_maruyama"


@pytest.mark.parametrize("name", names())
def test_show_takes_every_integrator(name: str) -> None:
    said = thermograd("show", name)
    assert said.code == 0
    assert said.out.startswith(f"{name} (integrator)\n")


def test_show_of_a_word_says_its_stages() -> None:
    assert "  A(1/2) B A(1/2) O\n" in thermograd("show", "ABAO").out


@pytest.mark.parametrize("name", ["drift", "harmonic", "gaussian"])
def test_show_takes_other_kinds(name: str) -> None:
    said = thermograd("show", name)
    assert said.code == 0
    assert "Claims" not in said.out


@pytest.mark.parametrize("command", ["show", "verify", "cite"])
def test_unknown_name_is_one_line_with_close_matches(command: str) -> None:
    said = thermograd(command, "baaob")
    assert said.code == 2
    assert said.out == ""
    assert said.err.startswith("error: no method is called 'baaob'. Did you mean 'baoab'")
    assert said.err.count("\n") == 1


def test_word_with_an_unknown_letter() -> None:
    said = thermograd("show", "BAXAB")
    assert said.code == 2
    assert said.err.startswith("error: unknown letter 'X' at position 3 of 'BAXAB'")


@pytest.mark.parametrize("name", names())
def test_cite_takes_every_integrator(name: str) -> None:
    said = thermograd("cite", name)
    assert said.code == 0
    assert said.out.strip()
    assert not said.out.startswith(" ")


def test_cite_prints_the_references_of_a_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("mine") / "mine.py"
    path.write_text(BAOAB_AGAIN)
    assert thermograd("cite", str(path)).out == "Nobody (2031), A word of my own.\n"


def test_cite_of_what_has_no_references() -> None:
    said = thermograd("cite", "ABAO")
    assert said.code == 2
    assert said.err == "error: the word 'ABAO' names no references\n"
