"""A fingerprint of a target: changes when its class, its numbers, its data or its code change."""

import dataclasses
import functools
import hashlib
from collections.abc import Mapping
from types import CodeType
from typing import Any

import numpy as np
import torch
from torch import Tensor

__all__ = ["attributes", "fingerprint"]


def fingerprint(target: object) -> str:
    """Return 16 hexadecimal digits that name a target.

    A target may say what to read instead of its attributes, by a method `fingerprint_facts`.
    Reads numbers, text, arrays, tensors, the fields of dataclasses, containers, the parameters
    of modules and the compiled code of functions with what they close over; of any other object,
    its class and its attributes.

    Args:
        target: usually a potential.
    """
    digest = hashlib.sha256()
    _feed(digest, target, {})
    return digest.hexdigest()[:16]


def _feed(digest: Any, value: object, seen: dict[int, object]) -> None:
    def note(*words: object) -> None:
        digest.update(repr(words).encode())

    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        note(value)
        return
    if id(value) in seen:
        return
    seen[id(value)] = value  # kept, so that no other object gets its id
    facts = getattr(value, "fingerprint_facts", None)
    if callable(facts) and not isinstance(value, type):
        note(type(value).__qualname__)
        _feed(digest, facts(), seen)
    elif isinstance(value, torch.Generator):
        note("generator")
    elif isinstance(value, (torch.dtype, torch.device, type)):
        note(str(value))
    elif isinstance(value, Tensor):
        _feed(digest, value.detach().cpu().contiguous().view(-1).numpy(), seen)
        note(tuple(value.shape))
    elif isinstance(value, np.ndarray):
        note(str(value.dtype), value.shape)
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            note(str(key))
            _feed(digest, entry, seen)
    elif isinstance(value, (list, tuple, set, frozenset)):
        note(len(value))
        for entry in sorted(value, key=str) if isinstance(value, (set, frozenset)) else value:
            _feed(digest, entry, seen)
    elif isinstance(value, torch.nn.Module):
        note(repr(value))
        _feed(digest, value.state_dict(), seen)
    elif isinstance(value, functools.partial):
        _feed(digest, [value.func, value.args, value.keywords], seen)
    elif isinstance(value, CodeType):
        note(value.co_code, value.co_names)
        _feed(digest, value.co_consts, seen)
    elif callable(value) and hasattr(value, "__code__"):
        cells = getattr(value, "__closure__", None) or ()
        _feed(digest, [value.__code__, [cell.cell_contents for cell in cells]], seen)
        _feed(digest, getattr(value, "__defaults__", None), seen)
    else:
        note(type(value).__module__, type(value).__qualname__)
        _feed(digest, attributes(value), seen)


def attributes(value: object) -> dict[str, object]:
    """Return the fields of a dataclass, or the attributes of any other object, by name."""
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return dict(getattr(value, "__dict__", {}))
