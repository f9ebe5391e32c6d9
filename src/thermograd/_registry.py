"""Finds methods by looking: a file in a package is a member, an entry point is a member.

Listing names and summaries imports nothing from the package, so the command line stays quick.
"""

import ast
import importlib
import importlib.util
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from ._checks import unknown_name
from ._errors import ThermogradError


@dataclass(frozen=True, slots=True)
class Registry:
    """Members of one kind: the modules of a package that hold one named attribute.

    Attributes:
        kind: what a member is, in messages.
        package: dotted name of the package that holds a file for each member.
        attribute: the name each of those files must define.
    """

    kind: str
    package: str
    attribute: str

    @property
    def folder(self) -> Path:
        """The folder of the package."""
        return Path(__file__).parent.joinpath(*self.package.split(".")[1:])

    def names(self) -> list[str]:
        """Return the members' names, sorted, importing none of them."""
        own = {path.stem for path in self.folder.glob("*.py") if not path.stem.startswith("_")}
        return sorted(own | set(self._plugins()))

    def get(self, name: str) -> object:
        """Import and return a member; an unknown name lists the close matches."""
        plugins = self._plugins()
        if name in plugins:
            return entry_points(group=self.package)[name].load()
        if name not in self.names():
            raise unknown_name(self.kind, name, self.names())
        return getattr(importlib.import_module(f"{self.package}.{name}"), self.attribute)

    def doc(self, name: str) -> str:
        """Return a member's module docstring, importing nothing."""
        if name not in self.names():
            raise unknown_name(self.kind, name, self.names())
        plugins = self._plugins()
        if name in plugins:
            found = importlib.util.find_spec(plugins[name])
            path = Path(found.origin) if found is not None and found.origin else None
        else:
            path = self.folder / f"{name}.py"
        text = path.read_text(encoding="utf-8") if path is not None else ""
        return ast.get_docstring(ast.parse(text)) or ""

    def summary(self, name: str) -> str:
        """Return the first line of a member's docstring."""
        return self.doc(name).partition("\n")[0]

    def from_file(self, path: Path) -> object:
        """Import a file outside the package and return the member it defines.

        Raises:
            ThermogradError: if the file is missing, fails to import or defines no member.
        """
        if not path.is_file():
            raise ThermogradError(f"there is no file {path}")
        spec = importlib.util.spec_from_file_location(f"{self.package}.{path.stem}", path)
        if spec is None or spec.loader is None:
            raise ThermogradError(f"{path} is not a Python file; give one that ends in .py")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ThermogradError:
            raise
        except Exception as error:
            raise ThermogradError(
                f"{path} fails to import: {type(error).__name__}: {error}"
            ) from error
        if not hasattr(module, self.attribute):
            raise ThermogradError(
                f"{path} defines no {self.attribute}; end it with "
                f"`{self.attribute} = ...` holding the {self.kind}"
            )
        return getattr(module, self.attribute)

    def _plugins(self) -> dict[str, str]:
        return {point.name: point.module for point in entry_points(group=self.package)}


INTEGRATORS = Registry("integrator", "thermograd.integrators", "INTEGRATOR")
FLOWS = Registry("flow", "thermograd.flows", "FLOW")
GEOMETRIES = Registry("geometry", "thermograd.geometry", "GEOMETRY")
POTENTIALS = Registry("potential", "thermograd.potentials", "POTENTIAL")
ARRANGEMENTS = Registry("arrangement", "thermograd.arrangements", "ARRANGEMENT")
