"""CIFAR-10 in its binary version: for each image a label and three planes of 32×32 bytes.

The Python version consists of pickles. Reading a pickle runs whatever code it names, so it is
refused.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..._errors import DataError, FetchError
from ..dataset import Dataset
from ._files import find, read

__all__ = ["CLASSES", "read_cifar10"]

CLASSES = (
    "airplane",
    "automobile",
    "bird",
    "cat",
    "deer",
    "dog",
    "frog",
    "horse",
    "ship",
    "truck",
)
_RECORD = 1 + 3 * 32 * 32


def read_cifar10(folders: Sequence[Path], hint: str = "") -> Dataset:
    """Return CIFAR-10 from `data_batch_1.bin` to `data_batch_5.bin` and `test_batch.bin`.

    Args:
        folders: where to look.
        hint: what to do if a file is missing.

    Raises:
        FetchError: if only the pickled version is there.
    """
    names = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]
    pickled = [folder for folder in folders if (folder / "data_batch_1").is_file()]
    try:
        batches = [_read_batch(find(folders, [name], "cifar10", hint)) for name in names]
    except FetchError as error:
        if not pickled:
            raise
        raise FetchError(
            f"{pickled[0]} holds the Python version of CIFAR-10, whose files are pickles: reading "
            "one runs the code it names, so thermograd does not. Take the binary version "
            f"(cifar-10-batches-bin) or run `thermograd fetch cifar10`. {error}"
        ) from error
    x, y = (torch.cat(parts) for parts in zip(*batches[:5], strict=True))
    return Dataset("cifar10", x, y, *batches[5], classes=CLASSES)


def _read_batch(path: Path) -> tuple[Tensor, Tensor]:
    """Return the images, (N, 3, 32, 32) uint8, and labels, (N,), of one file."""
    content = read(path)
    if not content or len(content) % _RECORD:
        raise DataError(
            f"{path} has {len(content)} bytes, which is no multiple of {_RECORD}, a label and an "
            "image: cut short, or not the binary version"
        )
    rows = np.frombuffer(content, np.uint8).reshape(-1, _RECORD)
    if rows[:, 0].max() >= len(CLASSES):
        raise DataError(f"{path} holds the label {rows[:, 0].max()}; CIFAR-10 has 0 to 9")
    images = torch.from_numpy(rows[:, 1:].reshape(-1, 3, 32, 32).copy())
    return images, torch.from_numpy(rows[:, 0].astype(np.int64))
