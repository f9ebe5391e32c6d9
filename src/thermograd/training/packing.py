"""A state dict as tensors and JSON, and back: the form of a checkpoint without pickle."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from .._errors import StateError

__all__ = ["pack", "unpack"]


def pack(value: object, name: str, tensors: dict[str, Tensor]) -> object:
    """Return a value as JSON, its tensors put aside under names that begin with `name`.

    Args:
        value: of numbers, words, None, tensors, and lists, tuples and dicts of these.
        name: of the value.
        tensors: gets the tensors.

    Raises:
        StateError: for anything else.
    """
    if isinstance(value, Tensor):
        tensors[name] = value.detach().clone()
        return {"tensor": name}
    if isinstance(value, Mapping):
        items = enumerate(value.items())
        return {"dict": [[key, pack(entry, f"{name}.{k}", tensors)] for k, (key, entry) in items]}
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [pack(entry, f"{name}.{k}", tensors) for k, entry in enumerate(value)]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise StateError(f"a {type(value).__name__} cannot be saved: it is no number, word or tensor")


def unpack(packed: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Return the value that `pack` made `packed` and `tensors` of."""
    if not isinstance(packed, dict):
        return packed
    ((kind, inside),) = packed.items()
    if kind == "tensor":
        return tensors[inside]
    if kind == "dict":
        return {key: unpack(entry, tensors) for key, entry in inside}
    found = [unpack(entry, tensors) for entry in inside]
    return found if kind == "list" else tuple(found)
