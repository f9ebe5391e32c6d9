"""Contracts: every claim of a method, checked without sampling, in float64.

Each module holds some contracts, as functions from an integrator to a verdict, beside the
functions that measure. `verify` runs all that apply.
"""

from ..._errors import ClaimError
from ...integrators import Integrator
from .consistency import consistency
from .continuity import continuity
from .counts import gradients_per_step
from .descent import descent
from .geometry import verify_geometry
from .invariance import invariance
from .limits import limits
from .metropolis import metropolised
from .orders import orders
from .stationary import exact_marginals, stationary_order
from .structure import structure
from .verdict import Verdict

__all__ = ["Verdict", "verify", "verify_geometry"]


def verify(integrator: Integrator, name: str) -> list[Verdict]:
    """Check every claim of a method; a claim that is too modest is false as well.

    Args:
        integrator: the method.
        name: what to call it if it fails to run.

    Returns:
        a verdict for each contract that applies.

    Raises:
        ClaimError: if the method fails to run.
    """
    first = consistency(integrator)
    if not first.ok:
        return [first]
    try:
        return [first, *_check(integrator)]
    except Exception as error:
        raise ClaimError(f"{name} fails to run: {type(error).__name__}: {error}") from error


def _check(integrator: Integrator) -> list[Verdict]:
    claims = integrator.claims
    verdicts = [gradients_per_step(integrator), *invariance(integrator)]
    verdicts += continuity(integrator)
    if claims.is_metropolised:
        verdicts += metropolised(integrator)
    elif claims.dynamics is None:
        verdicts.append(descent(integrator))
    else:
        verdicts += orders(integrator)
        if claims.dynamics in {"langevin", "adaptive langevin", "overdamped"}:
            verdicts.append(stationary_order(integrator))
        if claims.dynamics in {"langevin", "overdamped"}:
            verdicts.append(exact_marginals(integrator))
        if integrator.has_momenta:
            verdicts += structure(integrator)
    return [*verdicts, *limits(integrator)]
