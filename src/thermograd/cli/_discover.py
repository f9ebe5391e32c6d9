"""The strongest claims that hold of a bare word, found by asking the contracts.

A word claims nothing by itself, and contracts call a claim false that is too modest. So each claim
goes through its candidates until its contracts agree.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..claims import Claims
from ..integrators import from_word, scalars_of
from ..testing import Verdict, verify

_ORDERS: Sequence[Any] = (1, 2, 3, 4)
_MARGINALS: Sequence[Any] = tuple(frozenset(names) for names in ("", "q", "p", "qp"))
_CANDIDATES: dict[str, tuple[Sequence[Any], frozenset[str]]] = {
    "weak_order": (_ORDERS, frozenset({"weak_order", "local_order"})),
    "stationary_order": (_ORDERS, frozenset({"stationary_order"})),
    "exact_marginals": (_MARGINALS, frozenset({"exact_marginals"})),
    "is_time_reversible": ((False, True), frozenset({"reversibility"})),
    "is_symplectic": ((False, True), frozenset({"symplecticity"})),
}


def discover(word: str) -> tuple[Claims, list[Verdict]]:
    """Find claims for a word.

    Args:
        word: the letters.

    Returns:
        the claims, and what the contracts say of them; a false verdict is one that no claim mends.
    """
    if scalars_of(from_word(word)):
        claims = Claims(dynamics="adaptive langevin", weak_order=1, stationary_order=1)
    elif "O" in word:
        claims = Claims(dynamics="langevin", weak_order=1, stationary_order=1)
    else:
        claims = Claims(dynamics="hamiltonian", weak_order=1)
    while True:
        verdicts = verify(from_word(word, claims), word)
        false = {verdict.contract for verdict in verdicts if not verdict.ok}
        better = _next(claims, false)
        if better == claims:
            return claims, verdicts
        claims = better


def _next(claims: Claims, false: set[str]) -> Claims:
    """Move every claim that is false to its next candidate, if it has one."""
    changes: dict[str, Any] = {}
    for name, (candidates, contracts) in _CANDIDATES.items():
        value = getattr(claims, name)
        if contracts & false and value in candidates[:-1]:
            changes[name] = candidates[candidates.index(value) + 1]
    return replace(claims, **changes)


def spelled(claims: Claims) -> str:
    """Return the claims as Python."""
    stated = {"dynamics": claims.dynamics} | {name: getattr(claims, name) for name in _CANDIDATES}
    pairs = [f"{name}={_code(value)}" for name, value in stated.items() if value]
    return f"Claims({', '.join(pairs)})"


def _code(value: object) -> str:
    if isinstance(value, frozenset):
        letters = sorted(str(letter) for letter in value)
        return f"frozenset({{{', '.join(repr(letter) for letter in letters)}}})".replace("'", '"')
    return repr(value).replace("'", '"')
