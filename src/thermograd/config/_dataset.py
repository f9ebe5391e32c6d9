"""Reads the data that a configuration names: a fetched set, a generated one, or a file."""

import csv
import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .._checks import unknown_name
from .._errors import DataError, ParameterError
from ..data import load, load_text, toy
from ..data.dataset import Dataset
from ..data.windows import examples
from ..sampling.streams import stream
from ._called import called
from .schema import Data

__all__ = ["read_data"]


def read_data(data: Data, dtype: torch.dtype) -> Dataset:
    """Return the data that a table describes, split and scaled as it says.

    Args:
        data: the table, its seed and paths resolved.
        dtype: of the inputs.
    """
    found = _read(data)
    if data.num_test:
        found = found.split(data.num_test, stream(data.seed or 0, "split"))
    if data.text is not None:
        return found
    found = found.normalised(dtype) if data.normalise else _converted(found, dtype)
    return _scaled_targets(found) if data.normalise_targets else found


def _read(data: Data) -> Dataset:
    if data.name is not None:
        return load(data.name, data.folder)
    if data.text is not None:
        return _from_text(data.text, data.folder, data.length)
    if data.toy is not None:
        if data.toy not in toy.__all__ or data.toy == "random_labels":
            known = [name for name in toy.__all__ if name != "random_labels"]
            raise unknown_name("toy data", data.toy, known)
        function = getattr(toy, data.toy)
        options = {"num_points": 200, **data.options}
        generator = stream(data.seed or 0, "data")

        def draw(**given: object) -> tuple[Tensor, Tensor]:
            return function(generator=generator, **given)

        draw.__signature__ = inspect.signature(function)
        x, y = called(draw, data.toy, options)
        return _dataset(data.toy, x.double(), y)
    path = Path(str(data.file))
    if not path.is_file():
        raise ParameterError(f"there is no file {path}")
    if path.suffix == ".npz":
        return _from_npz(path)
    if path.suffix == ".csv":
        return _from_csv(path, data.target)
    raise ParameterError(f"the 'file' of [data] must be a .csv or an .npz; got {str(path)!r}")


def _from_text(name: str, folder: str | None, length: int) -> Dataset:
    """Read a text in pieces; its valid part is the one to test with."""
    text = load_text(name, folder)
    x, y = examples(text.train, length)
    return Dataset(name, x, y, *examples(text.valid, length), classes=text.vocabulary)


def _dataset(name: str, x: Tensor, y: Tensor) -> Dataset:
    return Dataset(name, x, y, x[:0], y[:0])


def _from_npz(path: Path) -> Dataset:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            found = {name: torch.from_numpy(arrays[name]) for name in arrays.files}
    except (ValueError, OSError, TypeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    if not {"x", "y"} <= found.keys():
        raise DataError(f"{path} needs arrays x and y; it has {', '.join(found) or 'none'}")
    data = _dataset(path.stem, found["x"], found["y"])
    if {"x_test", "y_test"} <= found.keys():
        data = replace(data, x_test=found["x_test"], y_test=found["y_test"])
    return data


def _from_csv(path: Path, target: str | None) -> Dataset:
    """Read numbers under a header; whole targets are classes or counts, int64."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    if len(rows) < 2:
        raise DataError(f"{path} needs a header and at least one row")
    header = [name.strip() for name in rows[0]]
    if target is not None and target not in header:
        raise unknown_name(f"column of {path.name}", target, header)
    column = len(header) - 1 if target is None else header.index(target)
    numbers = [_numbers(path, line, row, len(header)) for line, row in enumerate(rows[1:], 2)]
    values = torch.tensor(numbers, dtype=torch.float64)
    y = values[:, column]
    keep = [index for index in range(len(header)) if index != column]
    y = y.long() if bool((y == y.round()).all()) else y
    features = tuple(header[index] for index in keep)
    return replace(_dataset(path.stem, values[:, keep], y), features=features)


def _numbers(path: Path, line: int, row: list[str], width: int) -> list[float]:
    if len(row) != width:
        raise DataError(f"{path}, row {line} has {len(row)} columns; the header has {width}")
    try:
        return [float(cell) for cell in row]
    except ValueError as error:
        raise DataError(f"{path}, row {line}: {error}") from error


def _converted(data: Dataset, dtype: torch.dtype) -> Dataset:
    y, y_test = (part.to(dtype) if part.is_floating_point() else part for part in _targets(data))
    return replace(data, x=data.x.to(dtype), y=y, x_test=data.x_test.to(dtype), y_test=y_test)


def _scaled_targets(data: Dataset) -> Dataset:
    y = data.y.to(data.x.dtype)
    mean, sd = y.mean(0), y.std(0, correction=0)
    sd = torch.where(sd > 0, sd, torch.ones_like(sd))
    return replace(data, y=(y - mean) / sd, y_test=(data.y_test.to(data.x.dtype) - mean) / sd)


def _targets(data: Dataset) -> tuple[Tensor, Tensor]:
    return data.y, data.y_test
