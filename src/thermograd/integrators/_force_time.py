"""Whether methods can share one evaluation of the force a step."""

from collections.abc import Sequence

from .._errors import ParameterError
from ..splitting import Word
from ._base import CutIntegrator

__all__ = ["check_force_time"]


def check_force_time(
    method: CutIntegrator, others: Sequence[tuple[str, CutIntegrator]], owner: str
) -> None:
    """Refuse a part that needs the force at other positions than the parts before it.

    Raises:
        ParameterError: if it does.
    """
    for other, theirs in others:
        gap = abs(method.force_time - theirs.force_time)
        if min(gap, 1.0 - gap) > 1e-9:
            raise ParameterError(
                f"{owner} ({_name(method)}) needs the force {method.force_time:.3g} of its step "
                f"after where it begins, and {other} ({_name(theirs)}) {theirs.force_time:.3g}: "
                "one gradient a step cannot serve both. Choose words that need it at the same time"
            )


def _name(method: CutIntegrator) -> str:
    return str(method) if isinstance(method, Word) else type(method).__name__
