"""Tables of the UCI repository: rows of text, of numbers and class names, or of a workbook.

The files of the repository itself are read, and those of the KEEL collection, which hold the same
rows after a header of lines with `@`. Columns are separated by commas, semicolons or blanks.
"""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from ..._errors import DataError
from ..dataset import Dataset
from ._files import find, read_text
from .xlsx import read_xlsx

__all__ = ["TABLES", "Table", "read_table"]

_BETWEEN = re.compile(r"\s*[,;]\s*|\s+")


@dataclass(frozen=True, slots=True)
class Table:
    """How a set's file is to be read.

    Attributes:
        name: of the set.
        files: how its file may be called; the first is the one that is fetched.
        num_features: number of columns beside the target.
        classes: for each class its spellings in the files, the first being its name; none for
            regression.
        target: the target's column.
        test_files: as `files`, for a set with a file to test with.
        letters: whether a letter among the features is its place in the alphabet.
        fetched_as: the set it is fetched with; empty if no registry has it.
        bound: a column and what its values cannot exceed unless the file is damaged.
        damage: what is wrong with the file then.
    """

    name: str
    files: tuple[str, ...]
    num_features: int
    classes: tuple[tuple[str, ...], ...] = ()
    target: int = -1
    test_files: tuple[str, ...] = ()
    letters: bool = False
    fetched_as: str = "uci"
    bound: tuple[int, float] | None = None
    damage: str = ""


def read_table(table: Table, folders: Sequence[Path], hint: str = "") -> Dataset:
    """Return the rows of a table, features as float64.

    Args:
        table: an entry of `TABLES`, or your own.
        folders: where to look.
        hint: what to do if the file is missing.
    """
    features, x, y = _read(table, find(folders, table.files, table.name, hint))
    x_test, y_test = x[:0], y[:0]
    if table.test_files:
        _, x_test, y_test = _read(table, find(folders, table.test_files, table.name, hint))
    names = tuple(spellings[0] for spellings in table.classes)
    return Dataset(table.name, x, y, x_test, y_test, features, names)


def _read(table: Table, path: Path) -> tuple[tuple[str, ...], Tensor, Tensor]:
    header, rows = _rows(path)
    if header and len(header) != table.num_features + 1:
        header = []
    target = table.target % (table.num_features + 1)
    codes = {text: float(i) for i, class_ in enumerate(table.classes) for text in class_}
    inputs: list[list[float]] = []
    targets: list[float] = []
    for number, row in rows:
        if len(row) != table.num_features + 1:
            raise DataError(
                f"{path}, row {number} has {len(row)} columns; {table.name} has "
                f"{table.num_features + 1}"
            )
        cell = row.pop(target)
        if table.classes and cell not in codes:
            raise DataError(
                f"{path}, row {number}: {cell!r} is no class of {table.name}; these are "
                f"{', '.join(class_[0] for class_ in table.classes)}"
            )
        targets.append(codes[cell] if table.classes else _number(cell, False, path, number))
        inputs.append([_number(cell, table.letters, path, number) for cell in row])
    if not inputs:
        raise DataError(f"{path} has no rows")
    x = torch.tensor(inputs, dtype=torch.float64)
    y = torch.tensor(targets, dtype=torch.int64 if table.classes else torch.float64)
    if table.bound is not None and float(x[:, table.bound[0]].max()) > table.bound[1]:
        warnings.warn(f"{path}: {table.damage}", stacklevel=4)
    return tuple(name for i, name in enumerate(header) if i != target), x, y


def _rows(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header, if there is one, and the rows with their numbers from 1."""
    if path.name.endswith(".xlsx"):
        header, *rows = [[cell.strip() for cell in row] for row in read_xlsx(path)] or [[]]
        return header, [(i, row) for i, row in enumerate(rows, 2) if any(row)]
    lines = [(i, line.strip()) for i, line in enumerate(read_text(path).splitlines(), 1)]
    lines = [(i, line) for i, line in lines if line and not line.startswith("@")]
    header: list[str] = []
    if lines and not any(_is_number(cell) for cell in _BETWEEN.split(lines[0][1])):
        header = [name.strip('" ') for name in _header_cells(lines[0][1])]
        lines = lines[1:]
    return header, [(i, _BETWEEN.split(line)) for i, line in lines]


def _header_cells(line: str) -> list[str]:
    return re.split(r"[;,]", line) if re.search(r"[;,]", line) else line.split()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _number(cell: str, letters: bool, path: Path, row: int) -> float:
    if letters and len(cell) == 1 and cell.isalpha():
        return float(ord(cell.lower()) - ord("a") + 1)
    try:
        return float(cell)
    except ValueError:
        raise DataError(f"{path}, row {row}: {cell!r} is no number") from None


_DEPTHS = (
    *("draw", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
)
_HANDS = (
    "nothing",
    "one pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "royal flush",
)
_LOST_POINTS = (
    "this is the copy of the KEEL collection, which lost the decimal points of the columns A2, A3 "
    "and A7 (22.08 became 2208, and 1.75 and 17.5 both 175): do not compare results with those on "
    "UCI's own file, which is read if you put it in its place"
)

TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        Table(
            "australian",
            ("australian.dat",),
            14,
            (("rejected", "0"), ("approved", "1")),
            bound=(1, 100.0),
            damage=_LOST_POINTS,
        ),
        Table("german", ("german.data-numeric",), 24, (("good", "1"), ("bad", "2"))),
        Table(
            "heart",
            ("heart.dat",),
            13,
            (("absent", "1"), ("present", "2")),
            fetched_as="heart",
        ),
        Table(
            "pima",
            ("pima.dat", "pima-indians-diabetes.data"),
            8,
            (("negative", "tested_negative", "0"), ("positive", "tested_positive", "1")),
        ),
        Table("wine", ("wine.dat",), 13, (("1",), ("2",), ("3",))),
        Table("wine-red", ("winequality-red.csv",), 11),
        Table("wine-white", ("winequality-white.csv",), 11),
        Table("yacht", ("yacht_hydrodynamics.data",), 6),
        Table("concrete", ("Concrete_Data.xlsx",), 8),
        Table("power", ("Folds5x2_pp.xlsx",), 4),
        Table("protein", ("CASP.csv",), 9, target=0),
        Table("airfoil", ("airfoil_self_noise.dat",), 5),
        Table(
            "chess",
            ("kr-vs-k.dat", "krkopt.data"),
            6,
            tuple((depth,) for depth in _DEPTHS),
            letters=True,
        ),
        Table(
            "poker",
            ("poker-hand-training-true.data",),
            10,
            tuple((hand, str(i)) for i, hand in enumerate(_HANDS)),
            test_files=("poker-hand-testing.data",),
            fetched_as="",
        ),
    )
}
