"""MNIST and its look-alikes: four files in the IDX format, packed with gzip or not.

A file starts with two zero bytes, the type (8 is uint8, the only one read), the number of axes and
the length of each as a 32-bit number, the high byte first; the values follow.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..._errors import DataError
from ..dataset import Dataset
from ._files import find, read

__all__ = ["read_digits", "read_idx"]

_UINT8 = 8


def read_idx(path: Path) -> Tensor:
    """Return the values of one IDX file, uint8.

    Raises:
        DataError: if the file is of another kind, or its length is not what it announces.
    """
    content = read(path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] != _UINT8 or not content[3]:
        raise DataError(f"{path} is no IDX file of uint8: it starts with {content[:4]!r}")
    start = 4 + 4 * content[3]
    shape = np.frombuffer(content[4:start].ljust(start - 4, b"\0"), ">u4").tolist()
    expected = start + int(np.prod(shape, dtype=object))
    if len(content) != expected:
        raise DataError(f"{path} announces {expected} bytes and has {len(content)}: cut short?")
    values = np.frombuffer(content, np.uint8, offset=start)
    return torch.from_numpy(values.reshape(shape).copy())


def read_digits(
    folders: Sequence[Path], name: str, classes: tuple[str, ...], hint: str = ""
) -> Dataset:
    """Return the images and labels of the four files of an MNIST-like set.

    Both spellings are found, `train-images-idx3-ubyte` and `train-images.idx3-ubyte`, also with
    `.gz` at the end.

    Args:
        folders: where to look.
        name: of the set.
        classes: what the labels 0, 1, ... stand for.
        hint: what to do if a file is missing.

    Raises:
        DataError: if images and labels do not belong together.
    """
    parts: list[Tensor] = []
    for part in ("train", "t10k"):
        images = read_idx(find(folders, _spellings(part, "images", 3), name, hint))
        path = find(folders, _spellings(part, "labels", 1), name, hint)
        labels = read_idx(path)
        if images.dim() != 3 or labels.dim() != 1 or len(images) != len(labels):
            raise DataError(
                f"{path} holds labels of shape {tuple(labels.shape)}, which do not fit images of "
                f"shape {tuple(images.shape)}"
            )
        if len(labels) and int(labels.max()) >= len(classes):
            raise DataError(
                f"{path} holds the label {int(labels.max())}; the last class is {len(classes) - 1}"
            )
        parts += [images.unsqueeze(1), labels.long()]
    x, y, x_test, y_test = parts
    return Dataset(name, x, y, x_test, y_test, classes=classes)


def _spellings(part: str, kind: str, num_axes: int) -> tuple[str, str]:
    return f"{part}-{kind}-idx{num_axes}-ubyte", f"{part}-{kind}.idx{num_axes}-ubyte"
