"""Loads a data set by name, from the data folder or from one that a person already has."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .._checks import unknown_name
from .folders import data_folder

if TYPE_CHECKING:  # torch is loaded by the readers, not by the command line's `fetch`
    from .dataset import Corpus, Dataset

_CLOTHES = (
    "t-shirt",
    "trouser",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle boot",
)
_TEXTS = ("ptb", "shakespeare", "wikitext2")


def load(name: str, to: str | Path | None = None) -> "Dataset":
    """Return a set of images or a table.

    Args:
        name: `mnist`, `fashion-mnist`, `cifar10`, or a table: `airfoil`, `australian`, `chess`,
            `concrete`, `german`, `heart`, `pima`, `poker`, `power`, `protein`, `wine`,
            `wine-red`, `wine-white`, `yacht`.
        to: a data folder as in `thermograd fetch --to`, or a folder with the set's usual files.

    A missing file is a FetchError that says how to get it, a damaged one a DataError.
    """
    from .readers.cifar import read_cifar10
    from .readers.idx import read_digits
    from .readers.uci import TABLES, read_table

    if name in TABLES:
        table = TABLES[name]
        kept = table.fetched_as or "uci"
        hint = _fetch_hint(kept) if table.fetched_as else _own_hint(kept, to)
        return read_table(table, _folders(to, kept), hint)
    images: Mapping[str, Callable[[], Dataset]] = {
        "mnist": lambda: read_digits(
            _folders(to, name, "MNIST/raw"), name, tuple("0123456789"), _fetch_hint(name)
        ),
        "fashion-mnist": lambda: read_digits(
            _folders(to, name, "FashionMNIST/raw"), name, _CLOTHES, _fetch_hint(name)
        ),
        "cifar10": lambda: read_cifar10(
            _folders(to, name, "cifar-10-batches-bin", "cifar-10-batches-py"), _fetch_hint(name)
        ),
    }
    if name not in images:
        hint = " Text is loaded by load_text." if name in _TEXTS else ""
        raise unknown_name("data set", name, [*images, *TABLES], hint)
    return images[name]()


def load_text(name: str, to: str | Path | None = None) -> "Corpus":
    """Return a text as token numbers: `ptb` and `wikitext2` by words, `shakespeare` by characters.

    Args:
        name: of the text.
        to: a data folder as in `thermograd fetch --to`, or a folder with the text's usual files.

    A missing file is a FetchError that says how to get it, a damaged one a DataError.
    """
    from .readers.text import read_characters, read_words

    if name not in _TEXTS:
        raise unknown_name("text", name, _TEXTS, " Images and tables are loaded by load.")
    if name == "ptb":
        return read_words(_folders(to, name), name, ["ptb.{}.txt"], _fetch_hint(name))
    if name == "wikitext2":
        folders = _folders(to, name, "wikitext-2")
        return read_words(folders, name, ["wiki.{}.tokens"], _fetch_hint(name))
    return read_characters(_folders(to, name), name, "input.txt", _fetch_hint(name))


def _folders(to: str | Path | None, *inside: str) -> list[Path]:
    """Return where to look: the set's folders in the data folder, then the folder itself."""
    root = data_folder(to)
    return [*(root / name for name in inside), *([root] if to is not None else [])]


def _fetch_hint(name: str) -> str:
    return f"Run `thermograd fetch {name}`, or say with `to` in which folder you have it"


def _own_hint(kept: str, to: str | Path | None) -> str:
    return (
        "No registry of packages has this set: take the files from the UCI repository and put "
        f"them into {data_folder(to) / kept}"
    )
