"""What is registered, by kind: names, summaries and docstrings, read without importing them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import experiments
from .._checks import unknown_name
from .._registry import ARRANGEMENTS, FLOWS, GEOMETRIES, INTEGRATORS

PACKAGE = Path(__file__).parents[1]
KINDS = (
    "integrators",
    "arrangements",
    "flows",
    "geometries",
    "potentials",
    "noises",
    "experiments",
)
_MODULES = {
    "integrators": INTEGRATORS,
    "arrangements": ARRANGEMENTS,
    "flows": FLOWS,
    "geometries": GEOMETRIES,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One member of a kind.

    Attributes:
        kind: in the singular.
        name: what the registry calls it.
        doc: its docstring.
    """

    kind: str
    name: str
    doc: str

    @property
    def summary(self) -> str:
        """The first paragraph of the docstring, on one line."""
        return " ".join(self.doc.partition("\n\n")[0].split())


def names(kind: str) -> list[str]:
    """Return the names of a kind, sorted; an unknown kind lists the close matches."""
    return [entry.name for entry in entries(kind)]


def entries(kind: str) -> list[Entry]:
    """Return the members of a kind by name; an unknown kind lists the close matches."""
    if kind not in KINDS:
        raise unknown_name("kind", kind, KINDS)
    singular = "geometry" if kind == "geometries" else kind.removesuffix("s")
    if kind in _MODULES:
        registry = _MODULES[kind]
        found = [(name, registry.doc(name)) for name in registry.names()]
    elif kind == "experiments":
        found = [(experiment.name, experiment.summary) for experiment in experiments.find()]
    else:
        found = sorted(_potentials() if kind == "potentials" else _noises())
    return [Entry(singular, name, doc) for name, doc in found]


def all_names() -> list[str]:
    """Return the names of all kinds."""
    return sorted({name for kind in KINDS for name in names(kind)})


def find(name: str) -> Entry | None:
    """Return the member of any kind with that name, whatever its capitals."""
    for kind in KINDS:
        for entry in entries(kind):
            if entry.name.lower() == name.lower():
                return entry
    return None


def _potentials() -> Iterator[tuple[str, str]]:
    """Yield the final classes of the potentials; a file with one is described by its docstring."""
    for path in sorted((PACKAGE / "potentials").glob("[!_]*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        final = [node for node in _classes(tree) if "final" in map(_name, node.decorator_list)]
        for node in final:
            own = tree if len(final) == 1 else node
            yield node.name, ast.get_docstring(own) or ""


def _noises() -> Iterator[tuple[str, str]]:
    """Yield the sources that can be asked for by name."""
    tree = ast.parse((PACKAGE / "noise.py").read_text(encoding="utf-8"))
    docs = {node.name: ast.get_docstring(node) or "" for node in _classes(tree)}
    for node in tree.body:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)):
            continue
        if [_name(target) for target in node.targets] == ["_SOURCES"]:
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield str(key.value), docs[_name(value)]


def _classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
