"""The generated pages of the site: the methods with their claims, and the reference.

mkdocs loads this file as a hook (mkdocs.yml) and asks `on_files` for the pages, so they are never
kept in the repository and cannot differ from the code. Run by hand, it prints the methods page.
"""

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import thermograd
import thermograd.integrators

LINE_BREAK = "<br>"
MAX_CELL = 40

METHODS_INTRO = """# Methods

Every method is one file of `thermograd.integrators`. Its update is printed here as the file states
it; its claims are the data that the contract tests check.
"""

REFERENCE_INTRO = """# Reference

Every public module, from its docstrings.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to the site (a hook that mkdocs calls)."""
    files.append(File.generated(config, "methods.md", content=methods_page(method_modules())))
    files.append(File.generated(config, "reference.md", content=reference_page()))
    return files


def method_modules() -> list[ModuleType]:
    """Import the public modules of `thermograd.integrators`, in the order of their names."""
    folder = thermograd.integrators
    names = sorted(found.name for found in pkgutil.iter_modules(folder.__path__))
    public = [name for name in names if not name.startswith("_")]
    return [importlib.import_module(f"{folder.__name__}.{name}") for name in public]


def methods_page(modules: Sequence[Any]) -> str:
    """Return the page: a table of all claims, then each method's docstring and claims."""
    rows = {_name(module): claims_of(module) for module in modules}
    columns = list(dict.fromkeys(key for claims in rows.values() for key in claims))
    columns = [column for column in columns if _fits(column, rows.values())]
    parts = [METHODS_INTRO]
    if columns:
        header = ["method", *map(_heading, columns)]
        table = [header, ["---"] * len(header)]
        for name, claims in rows.items():
            cells = [escaped(claims.get(column, "–")) for column in columns]
            table.append([f"[{name}](#{name})", *cells])
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in table) + "\n")
    parts.extend(_section(module, rows[_name(module)]) for module in modules)
    return "\n".join(parts)


def claims_of(module: Any) -> dict[str, str]:
    """Return the claims of a method's module, in words; none if it states none."""
    claims = getattr(getattr(module, "INTEGRATOR", None), "claims", None)
    if claims is None:
        return {}
    return {
        field.name: in_words(getattr(claims, field.name)) for field in dataclasses.fields(claims)
    }


def in_words(value: Any) -> str:
    """Return the value of a claim as a reader would write it."""
    if value is None or (isinstance(value, Collection) and not value):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if dataclasses.is_dataclass(value):
        parts = (getattr(value, field.name) for field in dataclasses.fields(value))
        return " · ".join(part for part in parts if isinstance(part, str))
    if isinstance(value, Mapping):
        # The force of the whole potential has no name.
        named = (
            f"{key}: {in_words(entry)}" if key else in_words(entry) for key, entry in value.items()
        )
        return "; ".join(named)
    if isinstance(value, frozenset | set):
        return ", ".join(sorted(in_words(entry) for entry in value))
    if isinstance(value, list | tuple):
        is_long = any(dataclasses.is_dataclass(entry) for entry in value)
        return (LINE_BREAK if is_long else ", ").join(in_words(entry) for entry in value)
    return str(value)


def escaped(text: str) -> str:
    """Return a text that can stand in a cell of a table."""
    return text.replace("|", "\\|")


def reference_page() -> str:
    """Return the page that asks mkdocstrings for every public module."""
    modules = list(public_modules())
    return "\n".join([REFERENCE_INTRO, *(_directive(name, modules) for name in modules)])


def public_modules() -> Iterator[str]:
    """Yield the dotted names of the public modules that define something."""
    for found in pkgutil.walk_packages(thermograd.__path__, "thermograd."):
        if any(part.startswith("_") for part in found.name.split(".")):
            continue
        # The methods have their own page, and the command line documents itself.
        if found.name.startswith(("thermograd.integrators.", "thermograd.cli")):
            continue
        yield found.name


def _directive(name: str, modules: Collection[str]) -> str:
    """Return the request for a module, without what another public module defines."""
    module = importlib.import_module(name)
    elsewhere = set(modules) - {name}
    exported: list[str] = getattr(module, "__all__", [])
    own = [
        member
        for member in exported
        if getattr(getattr(module, member), "__module__", name) not in elsewhere
    ]
    if own == exported:
        return f"::: {name}\n"
    members = ", ".join(own)
    return f"::: {name}\n    options:\n      members: {f'[{members}]' if own else 'false'}\n"


def _fits(column: str, rows: Iterable[Mapping[str, str]]) -> bool:
    """Tell whether a claim is for the table: not sentences, and not denied by every method."""
    cells = {claims.get(column, "") for claims in rows}
    return max(map(len, cells)) <= MAX_CELL and not cells <= {"no", ""}


def _heading(claim: str) -> str:
    return claim.removeprefix("is_").replace("_", " ")


def _name(module: Any) -> str:
    return module.__name__.rpartition(".")[2]


def _section(module: Any, claims: Mapping[str, str]) -> str:
    name = _name(module)
    doc = inspect.cleandoc(module.__doc__ or "")
    lines = [f"## {name}\n", f"```text\n{doc}\n```\n"]
    if claims:
        lines.append("| claim | |\n| --- | --- |")
        lines.extend(f"| {_heading(claim)} | {escaped(value)} |" for claim, value in claims.items())
    else:
        lines.append(f"`{name}` states no claims.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(f"<!-- {Path(__file__).name} -->\n{methods_page(method_modules())}")
