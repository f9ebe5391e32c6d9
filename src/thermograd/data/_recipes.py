"""Turns what a package holds into the usual files of a data set, running none of its code."""

import ast
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from .._errors import DataError
from ._png import read_png

Contents = Mapping[str, bytes]
Files = dict[str, bytes]

_MIN_COUNT = 3  # WikiText-2 keeps the words seen this often in its training text


def cook(recipe: str, contents: Contents) -> Files:
    """Return the files that a recipe makes of the members of an archive.

    Args:
        recipe: a name in `RECIPES`.
        contents: the members, by the names the source gives them.

    Raises:
        DataError: if the members are not what the recipe needs.
    """
    try:
        return RECIPES[recipe](contents)
    except (ValueError, SyntaxError, KeyError, TypeError, OSError, EOFError) as error:
        raise DataError(f"what is in the package is not as expected: {error}") from error


def _as_they_are(contents: Contents) -> Files:
    return dict(contents)


def _unzipped(contents: Contents) -> Files:
    return {name: gzip.decompress(body) for name, body in contents.items()}


def _idx_from_csv(contents: Contents) -> Files:
    """Rows of a label and 784 pixels, under a header row."""
    files: Files = {}
    for part, body in contents.items():
        rows = np.loadtxt(io.BytesIO(body), np.uint8, delimiter=",", skiprows=1)
        sizes = b"".join(n.to_bytes(4, "big") for n in (len(rows), 28, 28))
        files[f"{part}-labels-idx1-ubyte"] = b"\0\0\x08\x01" + sizes[:4] + rows[:, 0].tobytes()
        files[f"{part}-images-idx3-ubyte"] = b"\0\0\x08\x03" + sizes + rows[:, 1:].tobytes()
    return files


def _cifar_from_sheets(contents: Contents) -> Files:
    """Sheets with an image in each row, and the labels of all sheets as JSON.

    What comes out is the binary version of CIFAR-10: for each image its label, then the red, the
    green and the blue plane.
    """
    files: Files = {}
    labels = {part: json.loads(contents[f"{part}_labels"]) for part in ("train", "test")}
    sheets = sorted(name for name in contents if not name.endswith("_labels"))
    done = {"train": 0, "test": 0}
    for name in sheets:
        pixels = read_png(contents[name])
        planes = pixels.reshape(len(pixels), 1024, 3).transpose(0, 2, 1).reshape(len(pixels), 3072)
        part = "test" if name.startswith("test") else "train"
        own = labels[part][done[part] : done[part] + len(pixels)]
        done[part] += len(pixels)
        column = np.array(own, np.uint8).reshape(len(pixels), 1)
        files[f"{name}.bin"] = np.concatenate([column, planes], 1).tobytes()
    return files


def _texts_from_literals(contents: Contents) -> Files:
    """Assignments of string literals, `penn['train'] = ...`; parsed, never run."""
    files: Files = {}
    for node in ast.parse(contents["literals"]).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            part = ast.literal_eval(node.targets[0].slice)
            text = ast.literal_eval(node.value).rstrip("\n") + "\n"
            files[f"ptb.{part}.txt"] = text.encode()
    return files


def _word_level(contents: Contents) -> Files:
    """Raw text; words that are rare in the training part become <unk>."""
    raw = {part: gzip.decompress(body).decode() for part, body in contents.items()}
    counts = Counter(raw["train"].split())

    def known(match: re.Match[str]) -> str:
        return match[0] if counts[match[0]] >= _MIN_COUNT else "<unk>"

    return {
        f"wiki.{part}.tokens": re.sub(r"[^ \n]+", known, text).encode()
        for part, text in raw.items()
    }


RECIPES: Mapping[str, Callable[[Contents], Files]] = {
    "as_they_are": _as_they_are,
    "unzipped": _unzipped,
    "idx_from_csv": _idx_from_csv,
    "cifar_from_sheets": _cifar_from_sheets,
    "texts_from_literals": _texts_from_literals,
    "word_level": _word_level,
}
