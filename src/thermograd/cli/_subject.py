"""What a name on the command line stands for: a registered member, a file or a word."""

import ast
import difflib
from dataclasses import dataclass
from pathlib import Path

from .._errors import ThermogradError, UnknownNameError
from .._registry import GEOMETRIES
from . import _catalogue


@dataclass(frozen=True, slots=True)
class Subject:
    """A member, a file or a word.

    Attributes:
        kind: the member's kind, "file" or "word".
        name: what to call it in output.
        doc: its docstring; empty for a word.
        path: the file, if it is one.
    """

    kind: str
    name: str
    doc: str
    path: Path | None = None

    @property
    def is_method(self) -> bool:
        """Whether it is an integrator."""
        return self.kind in {"integrator", "file", "word"}

    def integrator(self) -> object:
        """Import the integrator."""
        from .. import integrators

        if self.path is not None:
            return integrators.from_file(self.path)
        if self.kind == "word":
            return integrators.from_word(self.name)
        return integrators.get(self.name)

    @property
    def is_geometry(self) -> bool:
        """Whether it is a geometry: a registered one, or a file that ends with one."""
        if self.path is None:
            return self.kind == "geometry"
        return _defines(self.path, GEOMETRIES.attribute)

    def geometry(self) -> object:
        """Import the geometry with its example."""
        if self.path is not None:
            return GEOMETRIES.from_file(self.path)
        return GEOMETRIES.get(self.name)


def subject(name: str) -> Subject:
    """Find out what `name` stands for; an unknown one lists the close matches."""
    if name.endswith(".py"):
        path = Path(name)
        return Subject("file", path.stem, _file_doc(path), path)
    entry = _catalogue.find(name)
    if entry is not None:
        return Subject(entry.kind, entry.name, entry.doc)
    if name.isupper() and name.isalpha():
        return Subject("word", name, "")
    known = {known.lower(): known for known in _catalogue.all_names()}
    close = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    meant = f" Did you mean {' or '.join(repr(known[match]) for match in close)}?" if close else ""
    raise UnknownNameError(
        f"no method is called {name!r}.{meant} `thermograd list` names all there are; a word is "
        "spelled in capitals, such as 'ABAO'; a file ends in .py"
    )


def _file_doc(path: Path) -> str:
    if not path.is_file():
        raise ThermogradError(f"there is no file {path}")
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError) as error:
        raise ThermogradError(f"{path} is not Python: {error}") from error
    return ast.get_docstring(tree) or ""


def _defines(path: Path, attribute: str) -> bool:
    """Tell whether a file assigns a name at its top level, without running it."""
    if not path.is_file():
        return False
    targets = [
        target
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
    ]
    return any(isinstance(target, ast.Name) and target.id == attribute for target in targets)
