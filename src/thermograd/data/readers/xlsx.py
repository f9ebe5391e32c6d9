"""The first sheet of an Excel workbook: a zip file with one XML file for each sheet."""

import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from ..._errors import DataError
from ._files import read

__all__ = ["read_xlsx"]

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_FAULTS = (zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError, IndexError)


def read_xlsx(path: Path) -> list[list[str]]:
    """Return the rows of the first sheet as text; an empty cell is an empty string.

    Raises:
        DataError: if the file is no workbook.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(read(path))) as book:
            texts = _shared_texts(book)
            sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
    except _FAULTS as error:
        raise DataError(f"{path} is no Excel workbook that can be read: {error}") from error
    return [_cells(row, texts) for row in sheet.iter(f"{_MAIN}row")]


def _shared_texts(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    root = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
    return [
        "".join(text.text or "" for text in item.iter(f"{_MAIN}t"))
        for item in root.iter(f"{_MAIN}si")
    ]


def _cells(row: ElementTree.Element, texts: list[str]) -> list[str]:
    cells: list[str] = []
    for cell in row.iter(f"{_MAIN}c"):
        column = _column(cell.get("r", ""))
        cells += [""] * (column - len(cells))
        value = cell.findtext(f"{_MAIN}v") or ""
        cells.append(texts[int(value)] if cell.get("t") == "s" else value)
    return cells


def _column(reference: str) -> int:
    """Return the number of a cell's column from 0: A1 is in 0, AA7 in 26."""
    letters = re.match(r"[A-Z]*", reference)
    number = 0
    for letter in letters[0] if letters else "":
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1
