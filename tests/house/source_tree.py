"""The source of a package as syntax trees: which module imports which, without importing any."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "thermograd"


@dataclass(frozen=True, slots=True)
class Module:
    """One file of a package."""

    name: str  # dotted, with the package's own name in front
    path: Path
    text: str
    tree: ast.Module

    @property
    def unit(self) -> str:
        """The file or folder directly under the package it belongs to; "" for the root."""
        return unit_of(self.name)


@dataclass(frozen=True, slots=True)
class Import:
    """One import of a module of the same package."""

    importer: Module
    target: str
    line: int


def unit_of(name: str) -> str:
    """Return the second component of a dotted name, "" if there is none."""
    return name.split(".")[1] if "." in name else ""


def read_package(folder: Path) -> dict[str, Module]:
    """Return the modules of the package in `folder` by dotted name."""
    modules: dict[str, Module] = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text()
        modules[name] = Module(name, path, text, ast.parse(text, str(path)))
    return modules


def internal_imports(modules: dict[str, Module]) -> Iterator[Import]:
    """Yield every import inside the package: in functions and under TYPE_CHECKING too."""
    package = min(modules, key=len)
    for module in modules.values():
        for node in ast.walk(module.tree):
            for target in _targets(node, module, modules):
                if target.split(".")[0] == package:
                    yield Import(module, target, getattr(node, "lineno", 0))


def external_imports(module: Module) -> Iterator[tuple[str, int]]:
    """Yield the dotted name and the line of every absolute import, `from a import b` as a.b."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` for a chain of attributes of a name, else only its known end."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ""


def _targets(node: ast.AST, module: Module, modules: dict[str, Module]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        is_package = module.path.name == "__init__.py"
        depth = len(module.name.split(".")) - node.level + (1 if is_package else 0)
        above = ".".join(module.name.split(".")[:depth])
        base = f"{above}.{base}" if base else above
    names = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in modules else base for name in names]
