"""What a contract says of a claim."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim, measured.

    Attributes:
        contract: which contract was run.
        claim: what the method says.
        measured: what was found.
        expected: what would have made the claim true.
        ok: whether it is true; too modest is false as well.
    """

    contract: str
    claim: str
    measured: str
    expected: str
    ok: bool


def is_claimed(contract: str, claim: bool, error: float, tolerance: float) -> Verdict:
    """Judge a yes-or-no claim by the size of its defect: yes means below `tolerance`."""
    found = error <= tolerance
    bound = f"at most {tolerance:.0e}" if claim else f"above {tolerance:.0e}"
    return Verdict(contract, _said(claim), f"defect {error:.1e}", bound, found == claim)


def holds(contract: str, claim: str, error: float, tolerance: float) -> Verdict:
    """Judge what every method promises, by the size of its defect."""
    measured = f"defect {error:.1e}"
    return Verdict(contract, claim, measured, f"at most {tolerance:.0e}", error <= tolerance)


def slope(errors: Sequence[float], floor: float) -> float:
    """Return the order of errors at halved step sizes, from the finest pair above `floor`.

    Returns:
        log₂ of the ratio of the pair; ∞ where even the coarsest errors are rounding; NaN where
        an error is not finite.
    """
    if not all(math.isfinite(error) for error in errors):
        return math.nan
    pairs = [(a, b) for a, b in itertools.pairwise(errors) if b > floor]
    return math.log2(pairs[-1][0] / pairs[-1][1]) if pairs else math.inf


def _said(claim: bool) -> str:
    return "yes" if claim else "no"
