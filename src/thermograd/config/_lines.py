"""The line of every key of a TOML file, which tomllib does not tell."""

import re
from collections.abc import Mapping

Path = tuple[str, ...]

_PART = r"(?:[\w-]+|\"[^\"]*\"|'[^']*')"
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"^\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"^\s*({_DOTTED})\s*=")


def key_lines(text: str) -> Mapping[Path, int]:
    """Return the line of every key and table header, counted from 1.

    Keys within an inline table are not listed; they are on the line of its own key.
    """
    found: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = parts(header[1])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *parts(key[1])), number)
    return found


def parts(dotted: str) -> Path:
    """Split a dotted key, whose parts may be quoted."""
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))
