"""Plain text as token numbers: words with an end of line, or characters.

By words a line becomes its words and one `<eos>`, as the published perplexities on the Penn
Treebank and WikiText-2 count them. The vocabulary is that of the training part, in the order of
first appearance.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from ..._errors import DataError
from ..dataset import Corpus
from ._files import find, read_text

__all__ = ["read_characters", "read_words"]

_EOS, _UNKNOWN = "<eos>", "<unk>"
_TRAIN_SHARE = 0.9


def read_words(
    folders: Sequence[Path], name: str, spellings: Sequence[str], hint: str = ""
) -> Corpus:
    """Return a corpus of words from its three files.

    Args:
        folders: where to look.
        name: of the set.
        spellings: how the files may be called, with `{}` for `train`, `valid` and `test`.
        hint: what to do if a file is missing.
    """
    paths = [
        find(folders, [spelling.format(part) for spelling in spellings], name, hint)
        for part in ("train", "valid", "test")
    ]
    texts = [_words(read_text(path)) for path in paths]
    number = {token: i for i, token in enumerate(dict.fromkeys(texts[0]))}
    tokens = [_encode(text, number, path) for text, path in zip(texts, paths, strict=True)]
    return Corpus(name, *tokens, vocabulary=tuple(number))


def read_characters(folders: Sequence[Path], name: str, file: str, hint: str = "") -> Corpus:
    """Return a corpus of characters; the first nine tenths of the file are to train on.

    Args:
        folders: where to look.
        name: of the set.
        file: its name.
        hint: what to do if it is missing.
    """
    path = find(folders, [file], name, hint)
    text = read_text(path)
    number = {character: i for i, character in enumerate(sorted(set(text)))}
    tokens = _encode(list(text), number, path)
    cut = int(_TRAIN_SHARE * len(tokens))
    return Corpus(name, tokens[:cut], tokens[cut:], tokens[:0], vocabulary=tuple(number))


def _words(text: str) -> list[str]:
    lines = text.removesuffix("\n").split("\n")  # splitlines() would also cut at U+2028
    return [token for line in lines for token in (*line.split(), _EOS)]


def _encode(tokens: Sequence[str], number: dict[str, int], path: Path) -> Tensor:
    unknown = number.get(_UNKNOWN)
    found = [number.get(token, unknown) for token in tokens]
    if not found:
        raise DataError(f"{path} is empty")
    if None in found:
        word = tokens[found.index(None)]
        raise DataError(
            f"{path} has the word {word!r}, which is not in the training part, and that has no "
            f"{_UNKNOWN} to stand for it"
        )
    return torch.tensor(found, dtype=torch.int64)
