"""The data of a network's potential, as two tensors checked once."""

from collections.abc import Sized
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset, IterableDataset, TensorDataset

from .._errors import NonFiniteError, ParameterError

Array: TypeAlias = Tensor | NDArray[np.generic]
Data: TypeAlias = tuple[Array, Array] | Dataset[tuple[object, object]]


def stack(data: object, dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return inputs and targets, first axis N, after checking them.

    Args:
        data: a pair of tensors or arrays, or a Dataset of pairs, which is read once.
        dtype: what floating-point inputs must have; arrays of numpy are converted to it.
        device: where the model is, and the data must be.
    """
    inputs, targets = _pair(data)
    x = _as_tensor(inputs, "inputs", dtype)
    y = _as_tensor(targets, "targets", dtype)
    if len(x) != len(y):
        raise ParameterError(
            f"the data must have one target for each input; got {len(x)} inputs and {len(y)} "
            "targets"
        )
    if len(x) == 0:
        raise ParameterError("the data are empty: a potential needs at least one example")
    _check(x, "inputs", device)
    _check(y, "targets", device)
    _check_dtype(x, dtype)
    return x, y


def as_inputs(value: object, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return inputs alone, shape (B, ...), after checking them."""
    x = _as_tensor(value, "inputs", dtype)
    _check(x, "inputs", device)
    _check_dtype(x, dtype)
    return x


def _pair(data: object) -> tuple[object, object]:
    if isinstance(data, TensorDataset):
        data = data.tensors
    if isinstance(data, (tuple, list)):
        if len(data) != 2:
            raise ParameterError(
                f"the data must be a pair (inputs, targets); got {len(data)} entries"
            )
        return data[0], data[1]
    if isinstance(data, IterableDataset) or not hasattr(data, "__getitem__"):
        raise ParameterError(
            "the data must be a pair of tensors or arrays, or a Dataset with an index; got "
            f"{type(data).__name__}, which a random batch cannot be drawn from. Read it into "
            "tensors first."
        )
    return _read(data)


def _read(dataset: object) -> tuple[Tensor, Tensor]:
    """Stack the pairs of a Dataset with an index and a length."""
    if not isinstance(dataset, Sized):
        raise ParameterError(f"the data must have a length; {type(dataset).__name__} has none")
    pairs: list[object] = [dataset[index] for index in range(len(dataset))]  # pyright: ignore[reportIndexIssue]
    inputs: list[Tensor] = []
    targets: list[Tensor] = []
    for index, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ParameterError(
                f"the examples of a Dataset must be pairs (input, target); example {index} is a "
                f"{type(pair).__name__}"
            )
        inputs.append(torch.as_tensor(pair[0]))
        targets.append(torch.as_tensor(pair[1]))
    for name, tensors in (("input", inputs), ("target", targets)):
        shapes = {tuple(tensor.shape) for tensor in tensors}
        if len(shapes) > 1:
            raise ParameterError(
                f"the examples of a Dataset must have one {name} shape; got {sorted(shapes)[:5]}"
            )
    if not pairs:
        return torch.empty(0), torch.empty(0)
    return torch.stack(inputs), torch.stack(targets)


def _as_tensor(value: object, name: str, dtype: torch.dtype) -> Tensor:
    if isinstance(value, Tensor):
        tensor = value.detach()
    elif isinstance(value, np.ndarray):
        tensor = torch.from_numpy(np.ascontiguousarray(value))
        tensor = tensor.to(dtype) if tensor.is_floating_point() else tensor
    else:
        raise ParameterError(f"the {name} must be a tensor or an array; got {value!r}")
    if tensor.dim() == 0:
        raise ParameterError(f"the {name} must have the examples along their first axis; got one")
    return tensor


def _check_dtype(x: Tensor, dtype: torch.dtype) -> None:
    if x.is_floating_point() and x.dtype is not dtype:
        raise ParameterError(
            f"the inputs are {x.dtype} and the model's parameters {dtype}; convert one of them, "
            f"as in `x.to({dtype})`"
        )


def _check(tensor: Tensor, name: str, device: torch.device) -> None:
    if tensor.device != device:
        raise ParameterError(
            f"the {name} are on {tensor.device} and the model on {device}; move one of them, as "
            f"in `x.to({str(device)!r})`"
        )
    if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
        finite = torch.isfinite(tensor.reshape(len(tensor), -1)).all(1)
        bad = torch.nonzero(~finite).flatten()
        raise NonFiniteError(
            f"the {name} hold NaN or infinity in {len(bad)} of {len(tensor)} examples, first in "
            f"example {int(bad[0])}"
        )
