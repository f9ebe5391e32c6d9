"""Imports point down (docs/developer/design.md), and no two modules import each other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .source_tree import PACKAGE, Module, internal_imports, read_package, unit_of

# From the bottom up. "" is the package's own __init__. A file or folder that is not here has no
# layer yet: place it when it is made.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"_errors", "_checks", "_foreach", "_quantiles", "_registry", "_workspace"}),
    frozenset(
        {"state", "noise", "schedules", "claims", "thermostat", "data", "models", "multirate"}
    ),
    frozenset({"potentials", "flows", "geometry", "partitions", "splitting"}),
    frozenset({"integrators"}),
    frozenset({"arrangements", "ensembles", "objectives", "regularisers", "replicas"}),
    frozenset({"optim", "sampling"}),
    frozenset({"diagnostics", "plots", "racing", "testing"}),
    frozenset({""}),
    frozenset({"config", "experiments"}),
    frozenset({"report"}),
    frozenset({"cli"}),
)
LAYER_OF = {unit: number for number, layer in enumerate(LAYERS) for unit in layer}


def unplaced(modules: dict[str, Module]) -> list[str]:
    """Return the units of a package that no layer names."""
    return sorted({module.unit for module in modules.values()} - LAYER_OF.keys())


def upward_imports(modules: dict[str, Module]) -> list[str]:
    """Return a sentence for every import of a higher layer."""
    return [
        f"{found.importer.path.name}:{found.line}: {found.importer.name} (layer "
        f"{LAYER_OF[found.importer.unit]}) imports {found.target} (layer "
        f"{LAYER_OF[unit_of(found.target)]})"
        for found in internal_imports(modules)
        if unit_of(found.target) in LAYER_OF
        and LAYER_OF[unit_of(found.target)] > LAYER_OF[found.importer.unit]
    ]


def cycles(modules: dict[str, Module]) -> Iterator[list[str]]:
    """Yield every cycle of imports that a depth-first search closes."""
    targets: dict[str, set[str]] = {name: set() for name in modules}
    for found in internal_imports(modules):
        targets[found.importer.name].add(found.target)
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> Iterator[list[str]]:
        if name in path:
            yield [*path[path.index(name) :], name]
        elif name not in done:
            for target in sorted(targets.get(name, ())):
                yield from visit(target, [*path, name])
            done.add(name)

    for name in sorted(modules):
        yield from visit(name, [])


def test_every_module_has_a_layer() -> None:
    missing = unplaced(read_package(PACKAGE))
    assert not missing, f"place {missing} in LAYERS of {Path(__file__).name}"


def test_imports_point_down() -> None:
    modules = read_package(PACKAGE)
    placed = {name: module for name, module in modules.items() if module.unit in LAYER_OF}
    assert upward_imports(placed) == []


def test_no_two_modules_import_each_other() -> None:
    assert list(cycles(read_package(PACKAGE))) == []


def plant(folder: Path, files: dict[str, str]) -> dict[str, Module]:
    """Write a package of `files` and read it."""
    package = folder / "thermograd"
    for name, text in {"__init__.py": "", **files}.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_package(package)


@pytest.mark.parametrize(
    "statement",
    [
        "from ..integrators import baoab",
        "from ..integrators.baoab import INTEGRATOR",
        "from .. import integrators",
        "import thermograd.integrators.baoab",
        "from thermograd.integrators import baoab",
        "def later():\n    from ..integrators import baoab",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..integrators import baoab",
        "from .. import __version__",
    ],
)
def test_checker_sees_an_upward_import(tmp_path: Path, statement: str) -> None:
    files = {
        "flows/__init__.py": "",
        "flows/kick.py": statement,
        "integrators/__init__.py": "",
        "integrators/baoab.py": "",
    }
    found = upward_imports(plant(tmp_path, files))
    assert len(found) == 1
    assert "thermograd.flows.kick (layer 2) imports thermograd" in found[0]


def test_checker_accepts_downward_and_sideways_imports(tmp_path: Path) -> None:
    files = {
        "_errors.py": "",
        "flows/__init__.py": "from . import kick",
        "flows/kick.py": "from .._errors import ThermogradError\nfrom ..splitting import Word",
        "splitting.py": "import torch",
    }
    modules = plant(tmp_path, files)
    assert upward_imports(modules) == []
    assert list(cycles(modules)) == []


def test_checker_sees_a_cycle(tmp_path: Path) -> None:
    files = {"state.py": "from .noise import N", "noise.py": "from .state import S"}
    found = list(cycles(plant(tmp_path, files)))
    assert found == [["thermograd.noise", "thermograd.state", "thermograd.noise"]]


def test_checker_sees_an_unplaced_module(tmp_path: Path) -> None:
    assert unplaced(plant(tmp_path, {"helpers.py": "", "state.py": ""})) == ["helpers"]
