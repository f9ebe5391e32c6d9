"""What the written pages name exists; the generated pages follow from the integrators."""

import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
HAND_WRITTEN = ["README.md", "CONTRIBUTING.md", "changes/README.md", "docs/developer/testing.md"]
IN_BACKTICKS = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
FILE_NAME = re.compile(r"\.?[\w./-]*(/|\.(md|toml|py|yml|cff))[\w./-]*")
MAKE = re.compile(r"\bmake ([a-z]+)\b")
# Made by a command, not kept in the repository.
MADE = {"site/", ".venv", ".venv/", "my_method.py"}


def named_paths(text: str) -> set[str]:
    """Return the paths of this repository that a page names in backticks."""
    words = {word for quoted in IN_BACKTICKS.findall(text) for word in quoted.split()}
    return {word for word in words if FILE_NAME.fullmatch(word)} - MADE


@pytest.mark.parametrize("page", HAND_WRITTEN)
def test_paths_a_page_names_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    assert sorted(path for path in named_paths(text) if not (ROOT / path).exists()) == []


@pytest.mark.parametrize("page", HAND_WRITTEN)
def test_links_of_a_page_lead_somewhere(page: str) -> None:
    folder = (ROOT / page).parent
    links = set(LINK.findall((ROOT / page).read_text()))
    assert sorted(link for link in links if not (folder / link).exists()) == []


@pytest.mark.parametrize("page", HAND_WRITTEN)
def test_make_targets_a_page_names_exist(page: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(MAKE.findall((ROOT / page).read_text())) <= targets


def test_missing_path_is_seen() -> None:
    text = "Edit `src/nowhere.py` and `<name>.md`, run `make test`, see `scripts/check`."
    assert named_paths(text) == {"src/nowhere.py", "scripts/check"}


def test_bibliography_has_every_key_of_its_page() -> None:
    keys = set(
        re.findall(r"^@\w+\{(\w+),", (ROOT / "docs/bibliography.bib").read_text(), re.MULTILINE)
    )
    assert keys
    assert (
        set(re.findall(r"^- `(\w+)`", (ROOT / "docs/bibliography.md").read_text(), re.MULTILINE))
        == keys
    )


@pytest.fixture(scope="module")
def gen_pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gen_pages", ROOT / "scripts" / "gen_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class TwoClaims:
    weak_order: int
    exact_marginals: frozenset[str]
    reversible: bool
    note: str | None


@dataclass(frozen=True)
class Nested:
    at: str
    method: str
    step_size: Callable[[float], float] = abs


def method(name: str, doc: str, claims: TwoClaims | None) -> SimpleNamespace:
    integrator = None if claims is None else SimpleNamespace(claims=claims)
    return SimpleNamespace(__name__=f"x.{name}", __doc__=doc, INTEGRATOR=integrator)


def test_methods_page_has_no_method_yet(gen_pages: ModuleType) -> None:
    page = gen_pages.methods_page([])
    assert page.startswith("# Methods")
    assert "|" not in page


def test_methods_page_prints_docstrings_and_claims(gen_pages: ModuleType) -> None:
    claims = TwoClaims(2, frozenset({"q", "p"}), True, None)
    first = method("aoa", "AOA: a | b.\n\nOne step:\n\n    A   q ← q + h p", claims)
    page = gen_pages.methods_page([first, method("bob", "BOB: none.", None)])
    assert "| [aoa](#aoa) | 2 | p, q | yes | – |" in page
    assert "AOA: a | b.\n\nOne step:\n\n    A   q ← q + h p\n```" in page
    assert page.index("## aoa") < page.index("## bob")
    assert "`bob` states no claims." in page


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (2.5, "2.5"),
        (False, "no"),
        ({None: 3}, "3"),
        ({"fast": 4, "slow": 2}, "fast: 4; slow: 2"),
        ((), "–"),
        ((Nested("T = 0", "sgd"), Nested("γ = ∞", "sgld")), "T = 0 · sgd<br>γ = ∞ · sgld"),
    ],
)
def test_claim_in_words(gen_pages: ModuleType, value: object, words: str) -> None:
    assert gen_pages.in_words(value) == words


def test_methods_page_takes_the_package_as_it_is(gen_pages: ModuleType) -> None:
    methods = gen_pages.method_modules()
    page = gen_pages.methods_page(methods)
    assert page.count("\n## ") == len(methods)


def test_reference_page_names_every_public_module(gen_pages: ModuleType) -> None:
    page = gen_pages.reference_page()
    assert "::: thermograd.state\n" in page
    assert "._" not in page


def test_reference_page_documents_each_name_once(gen_pages: ModuleType) -> None:
    page = gen_pages.reference_page()
    assert "::: thermograd.geometry.flat\n" in page
    members = page.partition("::: thermograd.geometry\n")[2].partition(":::")[0]
    assert "constrain" in members
    assert "Flat" not in members
    members = page.partition("::: thermograd.integrators\n")[2].partition(":::")[0]
    assert "Update" in members
    assert "Claims" not in members
