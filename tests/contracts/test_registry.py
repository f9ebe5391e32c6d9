"""Every claim of every method in the registry is true (Shows 2)."""

import pytest

from thermograd import integrators
from thermograd.integrators import Integrator
from thermograd.testing import verify

ALWAYS = {"consistency", "gradients_per_step", "walkers", "precision", "restart"}


def required(integrator: Integrator) -> set[str]:
    """Return the contracts that must have been run."""
    claims = integrator.claims
    if claims.is_metropolised:
        return ALWAYS | {"metropolised"}
    if claims.dynamics is None:
        return ALWAYS | {"descent"}
    if claims.dynamics == "adaptive langevin":
        return ALWAYS | {"local_order", "stationary_order", "reversibility"}
    needed = ALWAYS | {"weak_order"}
    if not integrator.auxiliaries:
        needed |= {"local_order"}
    if claims.dynamics in {"langevin", "overdamped"}:
        needed |= {"stationary_order", "exact_marginals"}
    if integrator.has_momenta:
        needed |= {"reversibility", "symplecticity"}
    return needed | ({"limits"} if claims.limits else set())


@pytest.mark.parametrize("name", integrators.names())
def test_every_claim_is_true(name: str) -> None:
    integrator = integrators.get(name)
    verdicts = verify(integrator, name)
    assert [verdict for verdict in verdicts if not verdict.ok] == []
    assert required(integrator) <= {verdict.contract for verdict in verdicts}
