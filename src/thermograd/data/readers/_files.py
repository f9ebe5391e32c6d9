"""Finds a file under the names and in the folders that people have it."""

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..._errors import DataError, FetchError


def find(folders: Sequence[Path], names: Iterable[str], what: str, hint: str) -> Path:
    """Return the first of `names` that is in one of `folders`, packed with gzip or not.

    Raises:
        FetchError: if there is none, with what to do.
    """
    wanted = list(names)
    for folder in folders:
        for name in wanted:
            for path in (folder / name, folder / f"{name}.gz"):
                if path.is_file():
                    return path
    looked = ", ".join(str(folder) for folder in folders)
    raise FetchError(f"{what} needs the file {' or '.join(wanted)}; looked in {looked}. {hint}")


def read(path: Path) -> bytes:
    """Return the content of a file, unpacked if it is packed with gzip.

    Raises:
        DataError: if it is packed and cut short or damaged.
    """
    content = path.read_bytes()
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, ValueError) as error:
        raise DataError(f"{path} is damaged: {error}") from error


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, with plain line ends.

    Raises:
        DataError: if it is no such text.
    """
    try:
        return read(path).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is no UTF-8 text: {error}") from error
