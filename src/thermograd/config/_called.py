"""Calls a function with the options of a table."""

import inspect
from collections.abc import Callable, Mapping
from typing import TypeVar

from .._checks import unknown_name
from .._errors import ParameterError

Made = TypeVar("Made")


def called(function: Callable[..., Made], name: str, options: Mapping[str, object]) -> Made:
    """Return what a function makes of options, after comparing them with its parameters."""
    known = [key for key in inspect.signature(function).parameters if key != "generator"]
    for key in options:
        if key not in known:
            raise unknown_name(f"option of {name}", key, known)
    try:
        return function(**{key: _frozen(value) for key, value in options.items()})
    except TypeError as error:
        raise ParameterError(f"the options of {name} do not fit: {error}") from error


def _frozen(value: object) -> object:
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value
