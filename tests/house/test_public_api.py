"""What users may import: documented, listed, and imported without a warning."""

import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

import thermograd

from .source_tree import PACKAGE, read_package

MODULES = sorted(read_package(PACKAGE))
PUBLIC = [name for name in MODULES if not any(part.startswith("_") for part in name.split("."))]

IMPORT_ALL = """
import importlib, sys, warnings
import torch
warnings.simplefilter("error")
for name in sys.argv[1:]:
    importlib.import_module(name)
"""
IMPORT_FAST = """
import sys
import thermograd, thermograd.cli
sys.exit("importing thermograd.cli imports torch" if "torch" in sys.modules else 0)
"""


def public_objects(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the public functions and classes that `module` defines."""
    for name, value in vars(module).items():
        is_own = getattr(value, "__module__", None) == module.__name__
        if is_own and not name.startswith("_") and (inspect.isclass(value) or callable(value)):
            yield name, value


def sort_key(name: str) -> tuple[bool, bool, str]:
    """Order names as the linter does: CONSTANTS, then Classes, then functions."""
    return not name.isupper(), not name[:1].isupper(), name


def undocumented(module: ModuleType) -> list[str]:
    """Return the public functions and classes without words of their own."""
    missing: list[str] = []
    for name, value in public_objects(module):
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        text = (value.__doc__ or "").strip()
        if not text or text.startswith(f"{name}("):  # the text a dataclass writes for itself
            missing.append(name)
    return missing


def test_all_of_the_package_is_exact() -> None:
    assert thermograd.__all__ == ["__version__", "constrain", "sample"]


@pytest.mark.parametrize("name", PUBLIC)
def test_all_is_sorted_and_every_name_exists(name: str) -> None:
    module = importlib.import_module(name)
    listed: list[str] = list(getattr(module, "__all__", []))
    assert listed == sorted(set(listed), key=sort_key)
    assert [entry for entry in listed if not hasattr(module, entry)] == []


@pytest.mark.parametrize("name", PUBLIC)
def test_public_module_is_documented(name: str) -> None:
    module = importlib.import_module(name)
    assert (module.__doc__ or "").strip(), f"{name} has no docstring"
    assert undocumented(module) == []


def test_undocumented_function_is_seen() -> None:
    planted = ModuleType("planted")
    exec("def f(): ...\ndef g():\n    'Say so.'\ndef _h(): ...\n", vars(planted))
    assert undocumented(planted) == ["f"]


def test_package_says_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()


def run_python(program: str, *arguments: str) -> str:
    """Run a program in a fresh interpreter and return what it wrote to stderr if it failed."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    return done.stderr[-2000:] if done.returncode else ""


def test_every_module_imports_without_a_warning() -> None:
    assert run_python(IMPORT_ALL, *MODULES) == ""


def test_command_line_starts_without_torch() -> None:
    assert run_python(IMPORT_FAST) == ""
