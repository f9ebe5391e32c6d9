"""Parameter checks with one message template, and close matches for unknown names."""

import difflib
import math
from collections.abc import Iterable

from ._errors import ParameterError, UnknownNameError


def require(ok: bool, name: str, owner: str, constraint: str, value: object) -> None:
    """Raise the library's one parameter message unless `ok`.

    Raises:
        ParameterError: if `ok` is false.
    """
    if not ok:
        raise ParameterError(f"the {name!r} of {owner} must be {constraint}; got {value!r}")


def is_real(value: object) -> bool:
    """Tell whether `value` is a finite real number (a bool is not)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def positive(value: float, name: str, owner: str) -> float:
    """Return `value` as a float; it must be finite and above 0."""
    require(is_real(value) and value > 0, name, owner, "a finite number above 0", value)
    return float(value)


def non_negative(value: float, name: str, owner: str) -> float:
    """Return `value` as a float; it must be finite and not below 0."""
    require(is_real(value) and value >= 0, name, owner, "a finite number, 0 or above", value)
    return float(value)


def is_int(value: object) -> bool:
    """Tell whether `value` is an integer (a bool is not)."""
    return isinstance(value, int) and not isinstance(value, bool)


def positive_int(value: int, name: str, owner: str) -> int:
    """Return `value`; it must be an integer above 0."""
    require(is_int(value) and value > 0, name, owner, "an integer above 0", value)
    return value


def one_of(value: str, choices: Iterable[str], name: str, owner: str) -> str:
    """Return `value`; it must be one of `choices`, which the error lists."""
    known = sorted(choices)
    if value not in known:
        listed = ", ".join(repr(choice) for choice in known)
        require(False, name, owner, f"one of {listed}", value)
    return value


def unknown_name(kind: str, name: str, choices: Iterable[str], hint: str = "") -> UnknownNameError:
    """Build the error for a name that is not among `choices`, with its close matches."""
    known = sorted(choices)
    close = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    meant = f" Did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
    listed = ", ".join(known)
    return UnknownNameError(f"no {kind} is called {name!r}.{meant} Known: {listed}.{hint}")
